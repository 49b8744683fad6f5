#pragma once

/// \file
/// What MuJoCo 3.12.1 measured in tiny scenes, one per rule of its file format:
/// ../shared/reference/mujoco3/rules.json.

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "stiction/io/load.hpp"

namespace stiction {

using nlohmann::json;

/// Tests of what stands there under one name; skipped where the folder is absent.
class MeasuredRules : public ::testing::Test {
 protected:
  void SetUp() override {
    std::ifstream file(std::filesystem::path(STICTION_REFERENCE_DIR) / "mujoco3" / "rules.json");
    if (!file) {
      GTEST_SKIP() << "the measured rules are not in " << STICTION_REFERENCE_DIR << "/mujoco3";
    }
    all_ = json::parse(file);
  }

  [[nodiscard]] const json& rule(const std::string& name) const {
    for (const json& one : all_.at("rules")) {
      if (one.at("name") == name) return one;
    }
    throw std::runtime_error("no rule " + name);
  }
  [[nodiscard]] const json& cases_of(const std::string& name) const {
    return rule(name).at("cases");
  }

  static Model load(const json& text) {
    return load_model_text(text.get<std::string>(), "rule.xml").model;
  }

 private:
  json all_;
};

}  // namespace stiction
