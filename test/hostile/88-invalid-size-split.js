// expect: OUT_OF_MEMORY; V8 ends the process with "invalid size error" and throws nothing: its last words say what it was
async function main() { return "x".repeat(5e8).split("").length }
