// expect: OUT_OF_MEMORY; the list of matches grows past what V8 can hold
async function main() { return "ab".repeat(2e8).match(/a/g).length }
