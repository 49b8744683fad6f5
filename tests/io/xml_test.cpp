#include "stiction/io/xml.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>

namespace stiction {
namespace {

/// The only problem of a text that cannot be read.
Problem problem_of(const std::string& text) {
  try {
    const XmlFile file(text, "test.xml");
  } catch (const InputError& error) {
    EXPECT_EQ(error.problems().all().size(), 1u);
    return error.problems().all().front();
  }
  ADD_FAILURE() << "accepted: " << text.substr(0, 80);
  return {};
}

TEST(Xml, KnowsTheLineAndNameOfAnElement) {
  const XmlFile file("<robot>\n\n  <link name=\"arm\"/>\n</robot>", "a.urdf");
  const Source source = file.source(file.root().child("link"));
  EXPECT_EQ(source.file, "a.urdf");
  EXPECT_EQ(source.line, 3);
  EXPECT_EQ(source.element, "<link name=\"arm\">");
}

TEST(Xml, ByteOrderMarkAndForeignLettersAreFine) {
  const XmlFile file("\xEF\xBB\xBF<robot name=\"B\xC3\xA4r\"/>", "a.urdf");
  EXPECT_STREQ(file.root().attribute("name").value(), "B\xC3\xA4r");
  EXPECT_EQ(file.line(file.root()), 1);
}

TEST(Xml, MismatchedTagIsFoundOnItsLine) {
  const Problem problem = problem_of("<robot>\n<link>\n</lonk>\n</robot>");
  EXPECT_EQ(problem.source.line, 3);
  EXPECT_FALSE(problem.remedy.empty());
}

TEST(Xml, EntityDeclarationsAreRefused) {
  const Problem problem =
      problem_of("<?xml version=\"1.0\"?>\n<!DOCTYPE r [\n<!ENTITY a \"ha\">\n]>\n<r>&a;</r>");
  EXPECT_EQ(problem.source.line, 3);
  EXPECT_NE(problem.what.find("entity"), std::string::npos);
}

TEST(Xml, EntityDeclarationsInsideCommentsAreHarmless) {
  EXPECT_NO_THROW(XmlFile("<r><!-- <!ENTITY a 'ha'> --><![CDATA[<!ENTITY]]></r>", "a.xml"));
}

TEST(Xml, DeepNestingIsRefusedBeforeItIsParsed) {
  std::string text;
  for (int i = 0; i < 100000; ++i) text += "<a>";
  EXPECT_NE(problem_of(text).what.find("nested"), std::string::npos);
}

TEST(Xml, NestingCountsOnlyWhatIsOpen) {
  std::string text = "<r>";
  for (int i = 0; i < 1000; ++i) text += "<a b='/>'></a><c d=\">\"/><!-- <e> -->";
  EXPECT_NO_THROW(XmlFile(text + "</r>", "a.xml"));
}

TEST(Xml, EmptyBinaryAndDoubleContentIsRefused) {
  EXPECT_NE(problem_of("").what.find("empty"), std::string::npos);
  EXPECT_NE(problem_of(" \n\t").what.find("empty"), std::string::npos);
  EXPECT_NE(problem_of(std::string("<r>\0</r>", 8)).what.find("binary"), std::string::npos);
  EXPECT_NE(problem_of("<a/><b/>").what.find("second root"), std::string::npos);
  EXPECT_NE(problem_of("<a b='1' b='2'/>").what.find("twice"), std::string::npos);
  EXPECT_NE(problem_of("just words").what.find("no element"), std::string::npos);
}

TEST(Xml, HundredThousandAttributesAreRefusedBeforeTheyAreParsed) {
  std::string text = "<robot";
  for (int i = 0; i < 100000; ++i) text += " a" + std::to_string(i) + "=''";
  const Problem problem = problem_of(text + "/>");
  EXPECT_NE(problem.what.find("more than 1000 attributes"), std::string::npos) << problem.what;
  // Equals signs within a value are no attributes.
  const XmlFile fine("<robot text='" + std::string(5000, '=') + "' b='1'/>", "test.xml");
  EXPECT_STREQ(fine.root().attribute("b").value(), "1");
}

TEST(Xml, MillionsOfElementsAreRefusedBeforeTheyAreParsed) {
  std::string text = "<robot>";
  for (int i = 0; i < 1100000; ++i) text += "<a/>";
  const Problem problem = problem_of(text + "</robot>");
  EXPECT_NE(problem.what.find("more than 1000000 elements"), std::string::npos) << problem.what;
}

TEST(Xml, FoldersAndAbsentFilesAreNamed) {
  EXPECT_THROW(XmlFile{std::filesystem::temp_directory_path()}, InputError);
  try {
    const XmlFile file{std::filesystem::path("/nowhere/robot.urdf")};
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.problems().all().front().source.file, "/nowhere/robot.urdf");
  }
}

TEST(Xml, NumbersAreReadExactlyAndCompletely) {
  std::string problem;
  const auto numbers = parse_numbers(" 1 -2.5e-3\n+4 .5 ", problem);
  ASSERT_TRUE(numbers.has_value());
  EXPECT_EQ(*numbers, (std::vector<double>{1.0, -2.5e-3, 4.0, 0.5}));
  EXPECT_TRUE(parse_numbers("  ", problem)->empty());
}

TEST(Xml, WhatIsNotAFiniteNumberIsNamed) {
  for (const char* text :
       {"abc", "1 nan", "inf", "-infinity", "1e999", "1,2", "0x10", "1.5m", "+-1"}) {
    std::string problem;
    EXPECT_FALSE(parse_numbers(text, problem).has_value()) << text;
    EXPECT_FALSE(problem.empty()) << text;
  }
}

}  // namespace
}  // namespace stiction
