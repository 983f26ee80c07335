// A program of someone else's that uses the installed libraries.
#include "mlir/IR/MLIRContext.h"
#include "runtime/Program.h"
#include "vernier/Compiler/Compile.h"
#include "vernier/Compiler/RegisterAll.h"
#include "vernier/Model/Vernier.h"
#include "vernier/Program/Patterns.h"
#include <cstdio>

int main() {
  mlir::DialectRegistry registry;
  vernier::registerVernierDialects(registry);
  mlir::MLIRContext context(registry);
  bool loaded = context.getOrLoadDialect<vernier::VernierDialect>() != nullptr;
  mlir::RewritePatternSet patterns(&context); // for a pipeline of one's own
  vernier::program::populateFormNormPatterns(patterns);
  std::printf("%s, %d bytes, %s\n", loaded ? "loaded" : "missing",
              static_cast<int>(vernier::runtime::sizeOf(vernier::runtime::DType::F64)),
              patterns.getNativePatterns().empty() ? "no patterns" : "patterns");
  return loaded ? 0 : 1;
}
