// The conformance run watches for calls of this tool and edits the workspace then, as a person would.
function main() {
  return "The workspace is being edited.";
}
