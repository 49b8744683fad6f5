#include "stiction/io/urdf_parser.hpp"

#include <console_bridge/console.h>
#include <mutex>
#include <sstream>
#include <urdf_parser/urdf_parser.h>

namespace stiction {

namespace {

/// Keeps what urdfdom says, instead of writing it to the user's terminal.
class CaughtMessages : public console_bridge::OutputHandler {
 public:
  CaughtMessages() { console_bridge::useOutputHandler(this); }
  ~CaughtMessages() override { console_bridge::restorePreviousOutputHandler(); }
  CaughtMessages(const CaughtMessages&) = delete;
  CaughtMessages& operator=(const CaughtMessages&) = delete;

  void log(const std::string& text, console_bridge::LogLevel level, const char*, int) override {
    if (level >= console_bridge::CONSOLE_BRIDGE_LOG_WARN) messages.push_back(text);
  }

  std::vector<std::string> messages;
};

}  // namespace

UrdfParse::~UrdfParse() {
  if (!model) return;
  // Links own their children, so a long chain would be freed by deep recursion: untie it first.
  for (auto& [name, link] : model->links_) {
    link->child_links.clear();
    link->child_joints.clear();
  }
}

UrdfParse parse_with_urdfdom(const pugi::xml_document& clean_copy) {
  std::ostringstream text;
  clean_copy.save(text, "", pugi::format_raw);

  // The message handler belongs to the whole process.
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  CaughtMessages caught;
  UrdfParse parse;
  try {
    parse.model = urdf::parseURDF(text.str());
  } catch (const std::exception& error) {
    caught.messages.emplace_back(error.what());
  }
  parse.messages = std::move(caught.messages);
  return parse;
}

}  // namespace stiction
