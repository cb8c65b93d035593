const MILLISECOND = "UklGRiwAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQgAAACAgICAgICAgA==";

function main() {
  return g.result.audio(MILLISECOND, "audio/wav");
}
