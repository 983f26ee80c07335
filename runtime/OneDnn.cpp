//===- OneDnn.cpp - Matrix products of oneDNN -----------------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The only file that includes oneDNN, by its C interface (no exceptions). It
// builds with 2.6 (Debian 12), where an operation has a descriptor of its own
// and memory descriptors are values, and with 3.x, where they are handles.
//
//===----------------------------------------------------------------------===//

#include "runtime/OneDnn.h"
#include "runtime/ParallelFor.h"
#include <dnnl.h>

using namespace vernier::runtime;

namespace {

#if DNNL_VERSION_MAJOR >= 3
using MemoryDesc = dnnl_memory_desc_t;
using ConstMemoryDesc = const_dnnl_memory_desc_t;
#else
using MemoryDesc = dnnl_memory_desc_t;
using ConstMemoryDesc = const dnnl_memory_desc_t *;
#endif

/// The first failure of a sequence of calls; later ones are not made.
class Calls {
public:
  template <typename Function, typename... Args>
  void operator()(const char *what, Function function, Args... args) {
    if (status != dnnl_success)
      return;
    status = function(args...);
    failed = what;
  }
  dnnl_status_t status = dnnl_success;
  const char *failed = "";
};

/// The engine and stream of the process, never destroyed: programs may end
/// after oneDNN's own static objects.
struct Context {
  Context() {
    status = dnnl_engine_create(&engine, dnnl_cpu, 0);
    if (status == dnnl_success)
      status = dnnl_stream_create(&stream, engine, dnnl_stream_default_flags);
  }
  static const Context &get() {
    static const Context *context = new Context();
    return *context;
  }
  dnnl_engine_t engine = nullptr;
  dnnl_stream_t stream = nullptr;
  dnnl_status_t status;
};

class OneDnnMatmul : public Matmul {
public:
  ~OneDnnMatmul() override;
  Error build(const MatmulShape &shape);
  int64_t getScratchpadBytes() const override { return scratchpadBytes; }
  int run(const float *lhs, const float *rhs, float *result, char *scratchpad) const override;

private:
  void describe(Calls &call, const MatmulShape &shape);
  void describeMatrix(Calls &call, MemoryDesc &desc, int64_t rows, int64_t columns, int64_t stride,
                      bool transpose);
  void makeDescriptor(Calls &call, dnnl_primitive_attr_t attributes);
  ConstMemoryDesc get(const MemoryDesc &desc) const;

  MemoryDesc lhsDesc = {}, rhsDesc = {}, resultDesc = {};
  ConstMemoryDesc scratchpadDesc = {};
  dnnl_primitive_desc_t primitiveDesc = nullptr;
  dnnl_primitive_t primitive = nullptr;
  int64_t scratchpadBytes = 0;
  int threads = 1;
};

} // namespace

//===----------------------------------------------------------------------===//
// What differs between oneDNN 2 and 3
//===----------------------------------------------------------------------===//

#if DNNL_VERSION_MAJOR >= 3

static dnnl_status_t makeMemoryDesc(MemoryDesc *desc, const dnnl_dim_t *sizes,
                                    const dnnl_dim_t *strides) {
  return dnnl_memory_desc_create_with_strides(desc, 2, sizes, dnnl_f32, strides);
}

static dnnl_status_t appendSum(dnnl_post_ops_t operations) {
  return dnnl_post_ops_append_sum(operations, 1.0f, 0, dnnl_data_type_undef);
}

ConstMemoryDesc OneDnnMatmul::get(const MemoryDesc &desc) const { return desc; }

void OneDnnMatmul::makeDescriptor(Calls &call, dnnl_primitive_attr_t attributes) {
  call("dnnl_matmul_primitive_desc_create", dnnl_matmul_primitive_desc_create, &primitiveDesc,
       Context::get().engine, lhsDesc, rhsDesc, nullptr, resultDesc, attributes);
}

OneDnnMatmul::~OneDnnMatmul() {
  dnnl_primitive_destroy(primitive);
  dnnl_primitive_desc_destroy(primitiveDesc);
  for (MemoryDesc desc : {lhsDesc, rhsDesc, resultDesc})
    dnnl_memory_desc_destroy(desc);
}

#else

static dnnl_status_t makeMemoryDesc(MemoryDesc *desc, const dnnl_dim_t *sizes,
                                    const dnnl_dim_t *strides) {
  return dnnl_memory_desc_init_by_strides(desc, 2, sizes, dnnl_f32, strides);
}

static dnnl_status_t appendSum(dnnl_post_ops_t operations) {
  return dnnl_post_ops_append_sum(operations, 1.0f);
}

ConstMemoryDesc OneDnnMatmul::get(const MemoryDesc &desc) const { return &desc; }

void OneDnnMatmul::makeDescriptor(Calls &call, dnnl_primitive_attr_t attributes) {
  dnnl_matmul_desc_t operation;
  call("dnnl_matmul_desc_init", dnnl_matmul_desc_init, &operation, &lhsDesc, &rhsDesc, nullptr,
       &resultDesc);
  call("dnnl_primitive_desc_create", dnnl_primitive_desc_create, &primitiveDesc, &operation,
       attributes, Context::get().engine, nullptr);
}

OneDnnMatmul::~OneDnnMatmul() {
  dnnl_primitive_destroy(primitive);
  dnnl_primitive_desc_destroy(primitiveDesc);
}

#endif

//===----------------------------------------------------------------------===//
// Matmul
//===----------------------------------------------------------------------===//

void OneDnnMatmul::describeMatrix(Calls &call, MemoryDesc &desc, int64_t rows, int64_t columns,
                                  int64_t stride, bool transpose) {
  dnnl_dims_t sizes = {rows, columns};
  dnnl_dims_t strides = {transpose ? 1 : stride, transpose ? stride : 1};
  call("memory descriptor", makeMemoryDesc, &desc, sizes, strides);
}

void OneDnnMatmul::describe(Calls &call, const MatmulShape &shape) {
  describeMatrix(call, lhsDesc, shape.m, shape.k, shape.lhsStride, shape.transposeLhs);
  describeMatrix(call, rhsDesc, shape.k, shape.n, shape.rhsStride, shape.transposeRhs);
  describeMatrix(call, resultDesc, shape.m, shape.n, shape.resultStride, false);
}

Error OneDnnMatmul::build(const MatmulShape &shape) {
  threads = shape.threads;
  ThreadCountScope scope(threads);
  Calls call;
  call.status = Context::get().status;
  call.failed = "dnnl_engine_create";
  dnnl_primitive_attr_t attributes = nullptr;
  dnnl_post_ops_t operations = nullptr;
  call("dnnl_primitive_attr_create", dnnl_primitive_attr_create, &attributes);
  call("scratchpad mode", dnnl_primitive_attr_set_scratchpad_mode, attributes,
       dnnl_scratchpad_mode_user);
  call("dnnl_post_ops_create", dnnl_post_ops_create, &operations);
  if (shape.accumulate)
    call("dnnl_post_ops_append_sum", appendSum, operations);
  call("dnnl_primitive_attr_set_post_ops", dnnl_primitive_attr_set_post_ops, attributes,
       operations);
  describe(call, shape);
  makeDescriptor(call, attributes);
  call("dnnl_primitive_create", dnnl_primitive_create, &primitive, primitiveDesc);
  dnnl_post_ops_destroy(operations);
  dnnl_primitive_attr_destroy(attributes);
  if (call.status != dnnl_success)
    return makeError("product {0} x {1} x {2}: oneDNN {3}: {4} returned status {5}", shape.m,
                     shape.n, shape.k, getOneDnnVersion(), call.failed, int(call.status));
  scratchpadDesc = dnnl_primitive_desc_query_md(primitiveDesc, dnnl_query_scratchpad_md, 0);
  scratchpadBytes = dnnl_memory_desc_get_size(scratchpadDesc);
  return Error::success();
}

int OneDnnMatmul::run(const float *lhs, const float *rhs, float *result, char *scratchpad) const {
  ThreadCountScope scope(threads);
  Calls call;
  dnnl_exec_arg_t arguments[] = {{DNNL_ARG_SRC, nullptr},
                                 {DNNL_ARG_WEIGHTS, nullptr},
                                 {DNNL_ARG_DST, nullptr},
                                 {DNNL_ARG_SCRATCHPAD, nullptr}};
  ConstMemoryDesc descs[] = {get(lhsDesc), get(rhsDesc), get(resultDesc), scratchpadDesc};
  void *handles[] = {const_cast<float *>(lhs), const_cast<float *>(rhs), result, scratchpad};
  for (int i = 0; i < 4; ++i)
    call("dnnl_memory_create", dnnl_memory_create, &arguments[i].memory, descs[i],
         Context::get().engine, handles[i]);
  call("dnnl_primitive_execute", dnnl_primitive_execute, primitive, Context::get().stream, 4,
       static_cast<const dnnl_exec_arg_t *>(arguments));
  for (const dnnl_exec_arg_t &argument : arguments)
    dnnl_memory_destroy(argument.memory);
  return call.status;
}

Matmul::~Matmul() = default;

Expected<std::unique_ptr<Matmul>> Matmul::create(const MatmulShape &shape) {
  auto matmul = std::make_unique<OneDnnMatmul>();
  if (Error error = matmul->build(shape))
    return std::move(error);
  return std::move(matmul);
}

bool vernier::runtime::usesAvx512() {
  // Instruction sets are bit masks that contain those they extend.
  return (dnnl_get_effective_cpu_isa() & dnnl_cpu_isa_avx512_core) == dnnl_cpu_isa_avx512_core;
}

std::string vernier::runtime::getOneDnnVersion() {
  const dnnl_version_t *version = dnnl_version();
  return llvm::formatv("{0}.{1}.{2}", version->major, version->minor, version->patch).str();
}
