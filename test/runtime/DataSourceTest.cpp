//===- DataSourceTest.cpp - Windows of token files ------------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/DataSource.h"
#include "TestFiles.h"
#include "runtime/Safetensors.h"
#include <numeric>
#include <set>
#include <unistd.h>

using namespace vernier::runtime;

namespace {

class Data : public testing::Test {
protected:
  Data() {
    options.batch = 2;
    options.sequence = 4;
    options.vocabulary = 256;
  }
  std::string open(const std::string &path) { return message(openDataSource({path}, options)); }
  std::string text(size_t size) {
    std::string contents(size, '\0');
    std::iota(contents.begin(), contents.end(), '\0');
    return folder.write("t.txt", contents);
  }
  /// The first ids of rows [begin, end).
  std::vector<int> firstIds(const DataSource &source, uint64_t begin, uint64_t end) {
    std::vector<int> result;
    for (; begin < end; ++begin) {
      int32_t ids[4], targets[4];
      EXPECT_EQ(message(source.read(begin, ids, targets)), "");
      EXPECT_TRUE(std::equal(ids + 1, ids + 4, targets));
      EXPECT_EQ(targets[3], ids[3] + 1);
      result.push_back(ids[0]);
    }
    return result;
  }
  std::string llmc(int32_t magic, int32_t version, int32_t count, const std::string &tokens) {
    std::string header(1024, '\0');
    header.replace(0, 12, bytes<int32_t>({magic, version, count}));
    return folder.write("x.bin", header + tokens);
  }

  DataOptions options;
  TemporaryFolder folder;
};

TEST_F(Data, AFileCutWhileItIsReadIsAnError) {
  std::string path = folder.write("long.txt", std::string(1 << 20, 'x')); // mapped, not copied
  auto source = openDataSource({path}, options);
  ASSERT_TRUE(bool(source)) << message(source.takeError());
  int32_t ids[4], targets[4];
  EXPECT_EQ(message((*source)->read(0, ids, targets)), "");
  ASSERT_EQ(::truncate(path.c_str(), 4096), 0);
  for (uint64_t row : {0, 1, 2, 3})
    EXPECT_CONTAINS(message((*source)->read(row, ids, targets)),
                    "long.txt: expected 1,048,576 bytes, as when it was opened, found 4,096");
}

TEST_F(Data, TheChecksumIsOfTheTokens) {
  auto checksum = [&](const std::string &contents, size_t changed = ~size_t(0)) {
    std::string text = contents;
    if (changed < text.size())
      text[changed] ^= 1;
    auto source = openDataSource({folder.write("sum.txt", text)}, options);
    return source ? (*source)->computeChecksum() : message(source.takeError());
  };
  std::string small(5000, 'a');
  EXPECT_EQ(checksum(small), checksum(small));
  for (size_t i = 0; i < small.size(); i += 7)
    EXPECT_NE(checksum(small, i), checksum(small)) << i;
  EXPECT_NE(checksum(small + "a"), checksum(small));
  // Samples of a large one: the ends, and pieces at equal distances between.
  std::string large(40 << 20, 'a');
  for (size_t i : {size_t(0), large.size() - 1, large.size() / 255 * 100})
    EXPECT_NE(checksum(large, i), checksum(large)) << i;
  options.format = DataFormat::U16; // the same bytes, other tokens
  options.vocabulary = 65536;
  std::string wide = checksum(small);
  options.format = DataFormat::Text;
  EXPECT_NE(checksum(small), wide);
}

TEST_F(Data, EveryWindowOnceAnEpochInANewOrder) {
  auto source = openDataSource({text(101)}, options);
  ASSERT_TRUE(bool(source)) << message(source.takeError());
  ASSERT_EQ((*source)->countRows(), 25u); // 25 * 4 + 1 tokens: none is dropped
  std::vector<int> first = firstIds(**source, 0, 25), second = firstIds(**source, 25, 50);
  EXPECT_NE(first, second);
  for (std::vector<int> *epoch : {&first, &second}) {
    std::sort(epoch->begin(), epoch->end());
    for (int i = 0; i < 25; ++i)
      EXPECT_EQ((*epoch)[i], 4 * i);
  }
}

TEST_F(Data, TheSeedDecidesTheOrder) {
  std::string path = text(101);
  auto a = openDataSource({path}, options), b = openDataSource({path}, options);
  options.seed = 1;
  auto c = openDataSource({path}, options);
  options.shuffle = false;
  auto d = openDataSource({path}, options);
  EXPECT_EQ(firstIds(**a, 7, 40), firstIds(**b, 7, 40));
  EXPECT_NE(firstIds(**a, 7, 40), firstIds(**c, 7, 40));
  EXPECT_EQ(firstIds(**d, 0, 3), (std::vector<int>{0, 4, 8}));
}

TEST_F(Data, SplitsOneFile) {
  std::string path = text(101);
  options.end = 0.8;
  auto train = openDataSource({path}, options);
  for (int id : firstIds(**train, 0, (*train)->countRows()))
    EXPECT_LE(id + 4, 79);
  options.begin = 0.8;
  options.end = 1;
  auto validation = openDataSource({path}, options);
  for (int id : firstIds(**validation, 0, (*validation)->countRows()))
    EXPECT_GE(id, 80);
  EXPECT_EQ((*train)->countRows(), 19u);     // 80 tokens
  EXPECT_EQ((*validation)->countRows(), 5u); // 21 tokens
}

TEST_F(Data, WindowsDoNotCrossFiles) {
  std::string a = folder.write("a", std::string("\0\1\2\3\4\5\6\7\x8\x9\xa", 11));
  std::string b = folder.write("b", std::string("\x10\x11\x12\x13\x14", 5));
  options.shuffle = false;
  auto source = openDataSource({a, b}, options);
  ASSERT_TRUE(bool(source)) << message(source.takeError());
  EXPECT_EQ(firstIds(**source, 0, 3), (std::vector<int>{0, 4, 16}));
  EXPECT_EQ((*source)->countRows(), 3u);
}

TEST_F(Data, ReadsBothVersionsOfLlmC) {
  options.vocabulary = 1 << 17;
  options.batch = 1;
  std::string u16 = bytes<uint16_t>({65531, 65532, 65533, 65534, 65535});
  auto source = openDataSource({llmc(20240520, 1, 5, u16)}, options);
  ASSERT_TRUE(bool(source)) << message(source.takeError());
  EXPECT_EQ(firstIds(**source, 0, 1), (std::vector<int>{65531}));
  std::string u32 = bytes<uint32_t>({100000, 100001, 100002, 100003, 100004});
  source = openDataSource({llmc(20240801, 7, 5, u32)}, options);
  ASSERT_TRUE(bool(source)) << message(source.takeError());
  EXPECT_EQ(firstIds(**source, 0, 1), (std::vector<int>{100000}));
}

TEST_F(Data, RefusesBadLlmC) {
  std::string ten(20, '\0');
  EXPECT_CONTAINS(open(folder.write("x.bin", ten)),
                  "x.bin: expected a header of 1024 bytes, found 20; for a file without one say "
                  "--data-format=u16 or u32");
  EXPECT_CONTAINS(open(llmc(20240521, 1, 10, ten)),
                  "x.bin: wrong magic: expected 20240520 or 20240801, found 20240521");
  EXPECT_CONTAINS(open(llmc(20240520, 2, 10, ten)), "expected version 1 with magic 20240520");
  EXPECT_CONTAINS(open(llmc(20240801, 1, 5, ten)), "expected version 7 with magic 20240801");
  EXPECT_CONTAINS(open(llmc(20240520, 1, 9, ten)),
                  "9 tokens of 2 bytes after a header of 1024 make 1042 bytes, but the file has "
                  "1044");
  EXPECT_CONTAINS(open(llmc(20240520, 1, 11, ten)), "make 1046 bytes");
}

TEST_F(Data, ReadsHeaderless) {
  options.batch = 1;
  options.vocabulary = 65536;
  std::string path = folder.write("x.npy", bytes<uint16_t>({65500, 65501, 65502, 65503, 65504}));
  auto source = openDataSource({path}, options);
  ASSERT_TRUE(bool(source)) << message(source.takeError());
  EXPECT_EQ(firstIds(**source, 0, 1), (std::vector<int>{65500}));
  options.vocabulary = 65537; // needs uint32
  EXPECT_CONTAINS(open(path), "odd size: 10 bytes are no multiple of 4");
  EXPECT_CONTAINS(open(folder.write("y.npy", "\x93NUMPY\1\0v\0")), "has NumPy's header");
}

/// 16 bits hold ids up to 65,535.
TEST_F(Data, VocabulariesAroundTheLimitOf16Bits) {
  options.batch = 1;
  options.shuffle = false;
  int32_t ids[4], targets[4];
  for (int64_t vocabulary : {65535, 65536, 65537}) {
    options.vocabulary = vocabulary;
    for (uint32_t last : {uint32_t(vocabulary - 1), uint32_t(vocabulary)}) {
      std::string limit = llvm::formatv(
          "token {0:N} at position 4 is outside the vocabulary of {1:N}", last, vocabulary);
      auto check = [&](const std::string &path, DataFormat format) {
        options.format = format;
        auto source = openDataSource({path}, options);
        ASSERT_TRUE(bool(source)) << message(source.takeError());
        std::string text = message((*source)->read(0, ids, targets));
        if (last < vocabulary) {
          EXPECT_EQ(text, "");
          EXPECT_EQ(targets[3], int32_t(last));
        } else {
          EXPECT_CONTAINS(text, limit);
        }
      };
      check(folder.write("u32", bytes<uint32_t>({0, 1, 2, 3, last})), DataFormat::U32);
      check(llmc(20240801, 7, 5, bytes<uint32_t>({0, 1, 2, 3, last})), DataFormat::LlmC);
      if (last > 65535)
        continue;
      uint16_t narrow = last;
      check(folder.write("u16", bytes<uint16_t>({0, 1, 2, 3, narrow})), DataFormat::U16);
      check(llmc(20240520, 1, 5, bytes<uint16_t>({0, 1, 2, 3, narrow})), DataFormat::LlmC);
    }
  }
}

TEST_F(Data, ChecksEveryId) {
  options.batch = 1;
  options.vocabulary = 99;
  std::string path = text(101);
  options.shuffle = false;
  auto source = openDataSource({path}, options);
  int32_t ids[4], targets[4];
  EXPECT_EQ(message((*source)->read(23, ids, targets)), "");
  EXPECT_CONTAINS(message((*source)->read(24, ids, targets)),
                  "t.txt: token 99 at position 99 is outside the vocabulary of 99");
  options.format = DataFormat::U32;
  options.vocabulary = 151936;
  source = openDataSource(
      {folder.write("u", bytes<uint32_t>({1, 2, 3, 151940, 4, 0x80000000, 0, 0, 0}))}, options);
  EXPECT_CONTAINS(message((*source)->read(0, ids, targets)),
                  "u: token 151,940 at position 3 is outside the vocabulary of 151,936");
  EXPECT_CONTAINS(message((*source)->read(1, ids, targets)), "token 2,147,483,648 at position 5");
}

TEST_F(Data, RefusesFewerTokensThanABatch) {
  EXPECT_EQ(open(text(9)), "");
  EXPECT_CONTAINS(open(text(8)), "t.txt: 8 tokens make 1 windows of 4 + 1, but a batch has 2");
  EXPECT_CONTAINS(open(text(0)), "t.txt: expected tokens, found an empty file");
  options.end = 0.5;
  EXPECT_CONTAINS(open(text(10)), "10 tokens (of which 50.00% are used) make 1 windows");
  EXPECT_CONTAINS(message(openDataSource({}, options)), "no data");
  EXPECT_CONTAINS(message(openDataSource({"a.bin", "b.txt"}, options)),
                  "a.bin has format llmc, but b.txt has text");
}

TEST_F(Data, ReadsBeyond4GiB) {
  std::string path = folder.write("big", "");
  uint64_t size = (uint64_t(1) << 32) + 4096 + 1;
  if (::truncate(path.c_str(), size) != 0) // sparse
    GTEST_SKIP() << "no sparse file of 4 GiB can be made here";
  std::error_code code;
  {
    llvm::raw_fd_ostream stream(path, code, llvm::sys::fs::CD_OpenExisting, llvm::sys::fs::FA_Write,
                                llvm::sys::fs::OF_None);
    stream.pwrite("\7\x8\x9\xa\xb", 5, size - 5);
  }
  options.shuffle = false;
  auto source = openDataSource({path}, options);
  ASSERT_TRUE(bool(source)) << message(source.takeError());
  ASSERT_EQ((*source)->countRows(), (size - 1) / 4);
  EXPECT_EQ(firstIds(**source, (size - 1) / 4 - 1, (size - 1) / 4), (std::vector<int>{7}));
}

TEST_F(Data, PadsTheEndOfAValidationSet) {
  options.shuffle = false;
  auto source = openDataSource({text(13)}, options);
  ASSERT_EQ((*source)->countRows(), 3u);
  auto batch = readBatch(**source, options, 2, 3);
  ASSERT_TRUE(bool(batch));
  EXPECT_EQ(batch->ids, (std::vector<int32_t>{8, 9, 10, 11, 0, 0, 0, 0}));
  EXPECT_EQ(batch->targets, (std::vector<int32_t>{9, 10, 11, 12, -100, -100, -100, -100}));
  EXPECT_EQ(batch->validTargets, 4);
}

class Explicit : public Data {
protected:
  std::string write(Shape idsShape, Shape targetsShape, std::vector<int32_t> targets) {
    std::vector<int32_t> ids(*countElements(idsShape));
    std::iota(ids.begin(), ids.end(), 0);
    std::string path = folder / "b.safetensors";
    std::vector<TensorToWrite> tensors = {
        {"input_ids", StoredType::I32, idsShape, {bytesOf<int32_t>(ids)}},
        {"targets", StoredType::I32, targetsShape, {bytesOf<int32_t>(targets)}}};
    EXPECT_EQ(message(writeSafetensors(path, tensors)), "");
    return path;
  }
};

TEST_F(Explicit, ReadsRowsInOrder) {
  std::vector<int32_t> targets(32, 5);
  targets[6] = -100;
  auto source = openDataSource({write({2, 4, 4}, {2, 4, 4}, targets)}, options);
  ASSERT_TRUE(bool(source)) << message(source.takeError());
  EXPECT_EQ((*source)->countRows(), 8u);
  EXPECT_EQ((*source)->rowsPerStep(), 4u);
  auto batch = readBatch(**source, options, 8); // the second epoch
  EXPECT_EQ(batch->ids, (std::vector<int32_t>{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(batch->validTargets, 7);
}

TEST_F(Explicit, RefusesWhatDoesNotFit) {
  std::vector<int32_t> targets(32, 5);
  EXPECT_CONTAINS(open(write({2, 2, 8}, {2, 2, 8}, targets)),
                  "input_ids has shape [2, 2, 8], expected [rows, 4] or [steps, rows, 4]");
  EXPECT_CONTAINS(open(write({8, 4}, {4, 8}, targets)),
                  "targets has shape [4, 8], but input_ids has [8, 4]");
  options.batch = 3;
  EXPECT_CONTAINS(open(write({2, 4, 4}, {2, 4, 4}, targets)),
                  "its 4 rows are no multiple of the model's batch of 3");
  options.batch = 2;
  targets[9] = 256;
  EXPECT_CONTAINS(open(write({8, 4}, {8, 4}, targets)),
                  "targets 256 at position 9 is outside the vocabulary of 256");
  targets[9] = -1;
  EXPECT_CONTAINS(open(write({8, 4}, {8, 4}, targets)), "targets -1 at position 9");
  options.vocabulary = 31;
  EXPECT_CONTAINS(open(write({8, 4}, {8, 4}, targets)),
                  "input_ids 31 at position 31 is outside the vocabulary of 31");
}

} // namespace
