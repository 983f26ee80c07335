//===- WeightsTest.cpp - Loading parameters from checkpoints --------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Weights.h"
#include "TestFiles.h"

using namespace vernier::runtime;

namespace {

Parameter parameter(std::string name, Shape shape, std::vector<StoredTensor> stored = {}) {
  Parameter result;
  result.name = std::move(name);
  result.shape = std::move(shape);
  result.stored = std::move(stored);
  return result;
}

class Weights : public testing::Test {
protected:
  void SetUp() override {
    for (int i = 0; i < 12; ++i)
      numbers.push_back(i);
    qkv = {"qkv", StoredType::F32, {6, 2}, {bytesOf<float>(numbers)}};
    norm = {"norm", StoredType::F32, {3}, {bytesOf<float>(numbers).take_front(12)}};
    ASSERT_EQ(message(writeSafetensors(folder / "model.safetensors", {qkv, norm})), "");
  }
  std::string check(std::vector<Parameter> parameters) {
    auto store = TensorStore::open(folder.path);
    return store ? message(checkWeights(*store, parameters)) : message(store.takeError());
  }
  std::vector<float> numbers;
  TensorToWrite qkv, norm;
  TemporaryFolder folder;
};

TEST_F(Weights, ChecksAndLoadsRows) {
  Parameter k = parameter("k", {2, 2}, {{"qkv", 2, 4}});
  ASSERT_EQ(check({k, parameter("norm", {3})}), "");
  auto store = TensorStore::open(folder / "model.safetensors");
  float rows[4];
  double all[12];
  ASSERT_EQ(message(loadWeight(*store, k, rows)), "");
  EXPECT_EQ(std::vector<float>(rows, rows + 4), (std::vector<float>{4, 5, 6, 7}));
  Parameter vq = parameter("vq", {6, 2}, {{"qkv", 4, 6}, {"qkv", 0, 4}});
  ASSERT_EQ(message(loadWeight(*store, vq, all)), "");
  EXPECT_EQ(all[0], 8);
  EXPECT_EQ(all[4], 0);
  EXPECT_EQ(all[11], 7);
}

TEST_F(Weights, NamesWhatIsWrong) {
  Parameter norm = parameter("norm", {3});
  EXPECT_CONTAINS(check({parameter("w", {2, 2}), norm, parameter("u", {2})}),
                  "the model needs tensors that are missing: 'w', 'u'; there are tensors that the "
                  "model does not have: 'qkv'");
  EXPECT_CONTAINS(check({norm, parameter("qkv", {6, 3})}),
                  "tensor 'qkv' has shape [6, 2], but parameter 'qkv' needs [6, 3]");
  EXPECT_CONTAINS(check({norm, parameter("qkv", {5, 2})}),
                  "tensor 'qkv' has shape [6, 2], but parameter 'qkv' needs [5, 2]");
  EXPECT_CONTAINS(check({norm, parameter("qkv", {5, 2}, {{"qkv", 0, 4}})}),
                  "parameter 'qkv' has shape [5, 2], but 'qkv' gives 4 rows");
  EXPECT_CONTAINS(check({norm, parameter("q", {4, 2}, {{"qkv", 4, 8}})}),
                  "tensor 'qkv' has 6 rows, but parameter 'q' is its rows [4, 8]");
  EXPECT_CONTAINS(check({norm, parameter("qkv", {12})}), "has shape [6, 2]");
}

TEST_F(Weights, IntegersAreNoWeights) {
  int64_t entries[] = {1};
  ASSERT_EQ(message(writeSafetensors(folder / "model.safetensors",
                                     {{"n", StoredType::I64, {1}, {bytesOf<int64_t>(entries)}}})),
            "");
  EXPECT_CONTAINS(check({parameter("n", {1})}), "expected floating-point numbers, found I64");
}

TEST_F(Weights, ReadsShards) {
  TemporaryFolder sharded;
  ASSERT_EQ(message(writeSafetensors(sharded / "a.safetensors", {qkv})), "");
  ASSERT_EQ(message(writeSafetensors(sharded / "b.safetensors", {norm})), "");
  auto open = [&](llvm::StringRef index) {
    sharded.write("model.safetensors.index.json", index);
    auto store = TensorStore::open(sharded.path);
    if (!store)
      return message(store.takeError());
    return message(checkWeights(*store, {parameter("qkv", {6, 2}), parameter("norm", {3})}));
  };
  EXPECT_EQ(open(R"({"weight_map":{"qkv":"a.safetensors","norm":"b.safetensors"}})"), "");
  EXPECT_CONTAINS(open(R"({"weight_map":{"qkv":"a.safetensors"}})"), "missing: 'norm'");
  EXPECT_CONTAINS(open(R"({"weight_map":{"qkv":"a.safetensors","norm":"a.safetensors"}})"),
                  "tensor 'norm' is not in a.safetensors");
  EXPECT_CONTAINS(open(R"({"weight_map":{"norm":"c.safetensors"}})"),
                  "c.safetensors: cannot read: No such file");
  EXPECT_CONTAINS(open(R"({"weight_map":{"norm":"../b.safetensors"}})"),
                  "tensor 'norm': expected the name of a file beside the index");
  EXPECT_CONTAINS(open("{}"), "expected an object 'weight_map'");
  ASSERT_EQ(message(writeSafetensors(sharded / "b.safetensors", {norm, qkv})), "");
  EXPECT_CONTAINS(open(R"({"weight_map":{"qkv":"a.safetensors","norm":"b.safetensors"}})"),
                  "is in another shard too");
}

TEST_F(Weights, AFolderWithoutWeights) {
  TemporaryFolder empty;
  EXPECT_CONTAINS(message(TensorStore::open(empty.path)),
                  "neither model.safetensors nor model.safetensors.index.json");
}

TEST_F(Weights, PacksWhatItLoads) {
  Parameter q = parameter("q", {4, 2}, {{"qkv", 0, 4}}),
            k = parameter("k", {2, 2}, {{"qkv", 4, 6}});
  llvm::ArrayRef<char> all = bytesOf<float>(numbers);
  auto packed = packWeights(
      {{&k, StoredType::F32, all.drop_front(32)}, {&q, StoredType::F32, all.take_front(32)}});
  ASSERT_TRUE(bool(packed)) << message(packed.takeError());
  ASSERT_EQ(packed->size(), 1u);
  EXPECT_EQ((*packed)[0].shape, (Shape{6, 2}));
  ASSERT_EQ(message(writeSafetensors(folder / "packed", *packed)), "");
  auto file = SafetensorsFile::open(folder / "packed");
  float values[12];
  ASSERT_EQ(message(readFloats(*file->find("qkv"), 0, values)), "");
  EXPECT_EQ(std::vector<float>(values, values + 12), numbers);
  EXPECT_CONTAINS(message(packWeights({{&k, StoredType::F32, all.drop_front(32)}})),
                  "tensor 'qkv': rows [4, 6] of parameter 'k' do not follow row 0");
}

} // namespace
