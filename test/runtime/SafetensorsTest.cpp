//===- SafetensorsTest.cpp - Reading and writing tensor files -------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Safetensors.h"
#include "TestFiles.h"
#include <cmath>
#include <csignal>
#include <sys/resource.h>

using namespace vernier::runtime;

namespace {

class Safetensors : public testing::Test {
protected:
  /// A file of this header and as many bytes of data.
  std::string make(const std::string &header, size_t dataBytes) {
    return folder.write("t.safetensors",
                        bytes<uint64_t>({header.size()}) + header + std::string(dataBytes, '\0'));
  }
  std::string open(const std::string &header, size_t dataBytes) {
    return message(SafetensorsFile::open(make(header, dataBytes)));
  }
  TemporaryFolder folder;
};

std::string entry(const std::string &name, const std::string &shape, int begin, int end) {
  return "\"" + name + R"(":{"dtype":"F32","shape":[)" + shape + R"(],"data_offsets":[)" +
         std::to_string(begin) + "," + std::to_string(end) + "]}";
}

TEST_F(Safetensors, ReadsAFileWrittenByHand) {
  std::string header =
      R"({"__metadata__":{"format":"pt"},"b":{"dtype":"I32","shape":[2],"data_offsets":[8,16]},)" +
      entry("a", "2,1", 0, 8) + "}   ";
  std::string path =
      folder.write("hand.safetensors", bytes<uint64_t>({header.size()}) + header +
                                           bytes<float>({1.5f, -2}) + bytes<int32_t>({7, -9}));
  auto file = SafetensorsFile::open(path);
  ASSERT_TRUE(bool(file)) << message(file.takeError());
  ASSERT_EQ(file->getTensors().size(), 2u);
  EXPECT_EQ(file->getMetadata().at("format"), "pt");
  float a[2];
  int64_t b[1];
  EXPECT_EQ(file->find("a")->shape, (Shape{2, 1}));
  EXPECT_EQ(message(readFloats(*file->find("a"), 0, a)), "");
  EXPECT_EQ(message(readIntegers(*file->find("b"), 1, b)), "");
  EXPECT_EQ(a[0], 1.5f);
  EXPECT_EQ(a[1], -2.0f);
  EXPECT_EQ(b[0], -9);
  EXPECT_EQ(file->find("c"), nullptr);
  EXPECT_CONTAINS(message(file->get("c")), "hand.safetensors: no tensor 'c'");
  EXPECT_CONTAINS(message(readFloats(*file->find("b"), 0, a)),
                  "tensor 'b': expected floating-point numbers, found I32");
  EXPECT_CONTAINS(message(readIntegers(*file->find("a"), 0, b)), "expected integers, found F32");
}

TEST_F(Safetensors, ReadsEmptyAndScalarTensors) {
  EXPECT_EQ(open("{" + entry("s", "", 0, 4) + "," + entry("none", "0,5", 4, 4) + "}", 4), "");
  EXPECT_EQ(open("{}", 0), "");
}

TEST_F(Safetensors, RefusesTruncatedFiles) {
  EXPECT_CONTAINS(message(SafetensorsFile::open(folder.write("x", "1234567"))), "found 7 bytes");
  EXPECT_CONTAINS(message(SafetensorsFile::open(folder.write("x", bytes<uint64_t>({20}) + "{}"))),
                  "truncated: the header has 20 bytes, but only 2 follow");
  EXPECT_CONTAINS(open("{" + entry("a", "2", 0, 8) + "}", 7),
                  "truncated: tensor 'a' ends at byte 8");
  EXPECT_CONTAINS(message(SafetensorsFile::open(folder.write("x", bytes<int64_t>({-1}) + "{}"))),
                  "more than 100000000");
  EXPECT_CONTAINS(message(SafetensorsFile::open(folder / "absent")), "cannot read: No such file");
  EXPECT_CONTAINS(message(SafetensorsFile::open(folder.path)), "expected a file, found a folder");
}

TEST_F(Safetensors, RefusesDataThatIsNotTiled) {
  std::string two = entry("a", "2", 0, 8);
  EXPECT_CONTAINS(open("{" + two + "," + entry("b", "2", 4, 12) + "}", 12),
                  "tensor 'b' begins at 4 and overlaps the one before, which ends at 8");
  EXPECT_CONTAINS(open("{" + two + "," + entry("b", "1", 12, 16) + "}", 16),
                  "hole in the data: bytes [8, 12] before tensor 'b'");
  EXPECT_CONTAINS(open("{" + two + "}", 9), "end at byte 8 of the data, but there are 9");
}

TEST_F(Safetensors, RefusesSizesThatLie) {
  EXPECT_CONTAINS(
      open("{" + entry("a", "3", 0, 8) + "}", 8),
      "tensor 'a': F32 of shape [3] needs 12 bytes, but its data_offsets [0, 8] hold 8");
  EXPECT_CONTAINS(open("{" + entry("a", "4294967296,4294967296", 0, 0) + "}", 0),
                  "needs more than 2^63 bytes");
  EXPECT_CONTAINS(open("{" + entry("a", "-1", 0, 8) + "}", 8), "non-negative");
  EXPECT_CONTAINS(open("{" + entry("a", "2", 8, 0) + "}", 8), "expected data_offsets [begin, end]");
  EXPECT_CONTAINS(open(R"({"a":{"dtype":"F7","shape":[],"data_offsets":[0,0]}})", 0),
                  "tensor 'a': unsupported dtype 'F7'");
  EXPECT_CONTAINS(open(R"({"a":3})", 0), "tensor 'a': expected an object");
  EXPECT_CONTAINS(open("[]", 0), "expected the header to be a JSON object");
}

TEST_F(Safetensors, RefusesBadJson) {
  std::string two = entry("a", "2", 0, 8);
  EXPECT_CONTAINS(open("{" + two + "," + two + "}", 8), "duplicate key 'a'");
  EXPECT_CONTAINS(open("{" + two + "," + entry("\\u0061", "2", 0, 8) + "}", 8),
                  "duplicate key 'a'");
  EXPECT_CONTAINS(open(R"({"__metadata__":{"k":"1","k":"2"}})", 0), "duplicate key 'k'");
  EXPECT_CONTAINS(open(std::string(1'000'000, '['), 0), "nested deeper than 64 levels");
  EXPECT_NE(open("{", 0), "");
  EXPECT_NE(open("{\"", 0), "");
  EXPECT_NE(open("{\"a\\", 0), "");
  EXPECT_NE(open("", 0), "");
  // Equal keys of different objects are no duplicates.
  EXPECT_EQ(open("{" + two + "," + entry("b", "2", 8, 16) + "}", 16), "");
}

TEST_F(Safetensors, ConvertsHalfPrecision) {
  TensorView half{"h", StoredType::F16, {7}, {}}, brain{"b", StoredType::BF16, {3}, {}};
  std::string h = bytes<uint16_t>({0x3c00, 0xc000, 0x7bff, 0x0001, 0x8000, 0x7c00, 0x7e00});
  std::string b = bytes<uint16_t>({0x3f80, 0xc040, 0xff80});
  half.bytes = {h.data(), h.size()};
  brain.bytes = {b.data(), b.size()};
  float x[7], y[3];
  ASSERT_EQ(message(readFloats(half, 0, x)), "");
  ASSERT_EQ(message(readFloats(brain, 0, y)), "");
  EXPECT_EQ(x[0], 1.0f);
  EXPECT_EQ(x[1], -2.0f);
  EXPECT_EQ(x[2], 65504.0f);
  EXPECT_EQ(x[3], std::ldexp(1.0f, -24));
  EXPECT_TRUE(x[4] == 0 && std::signbit(x[4]));
  EXPECT_EQ(x[5], INFINITY);
  EXPECT_TRUE(std::isnan(x[6]));
  EXPECT_EQ(y[0], 1.0f);
  EXPECT_EQ(y[1], -3.0f);
  EXPECT_EQ(y[2], -INFINITY);
}

TEST_F(Safetensors, WritesWhatItReads) {
  float head[] = {1, 2}, tail[] = {3, 4, 5, 6};
  int64_t steps[] = {1'234'567'890'123};
  std::vector<TensorToWrite> tensors = {
      {"w \"x\"", StoredType::F32, {3, 2}, {bytesOf<float>(head), bytesOf<float>(tail)}},
      {"n", StoredType::I64, {}, {bytesOf<int64_t>(steps)}}};
  ASSERT_EQ(message(writeSafetensors(folder / "w", tensors, {{"k", "v"}})), "");
  auto file = SafetensorsFile::open(folder / "w");
  ASSERT_TRUE(bool(file)) << message(file.takeError());
  float w[6];
  int64_t n[1];
  ASSERT_EQ(message(readFloats(*file->find("w \"x\""), 0, w)), "");
  ASSERT_EQ(message(readIntegers(*file->find("n"), 0, n)), "");
  for (int i = 0; i < 6; ++i)
    EXPECT_EQ(w[i], i + 1);
  EXPECT_EQ(n[0], steps[0]);
  EXPECT_EQ(file->getMetadata().at("k"), "v");
}

TEST_F(Safetensors, AFailedWriteLeavesTheOldFile) {
  std::string path = folder.write("w", "old");
  float x[] = {1};
  TensorToWrite wrong{"x", StoredType::F32, {2}, {bytesOf<float>(x)}};
  TensorToWrite right{"x", StoredType::F32, {1}, {bytesOf<float>(x)}};
  EXPECT_CONTAINS(message(writeSafetensors(path, {wrong})),
                  "tensor 'x': 4 bytes do not make F32 of shape [2]");
  EXPECT_CONTAINS(message(writeSafetensors(path, {right, right})), "two tensors of the name 'x'");
  EXPECT_CONTAINS(message(writeSafetensors(folder / "no/w", {right})), "cannot write");
  auto buffer = llvm::MemoryBuffer::getFile(path);
  EXPECT_EQ((*buffer)->getBuffer(), "old");
}

TEST_F(Safetensors, AFullDiskLeavesTheOldFile) {
  std::string path = folder.write("w", "old");
  std::vector<float> x(1 << 16);
  rlimit before, limit;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  limit = {1000, before.rlim_max};
  auto handler = signal(SIGXFSZ, SIG_IGN); // so that write() fails instead
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
  TensorToWrite tensor{"x", StoredType::F32, {1 << 16}, {bytesOf<float>(x)}};
  std::string text = message(writeSafetensors(path, {tensor}));
  setrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, handler);
  EXPECT_CONTAINS(text, "w: cannot write: File too large");
  EXPECT_EQ((*llvm::MemoryBuffer::getFile(path))->getBuffer(), "old");
  std::error_code code; // and no temporary file
  llvm::sys::fs::directory_iterator file(folder.path, code), end;
  EXPECT_EQ(file->path(), path);
  EXPECT_EQ(file.increment(code), end);
}

} // namespace
