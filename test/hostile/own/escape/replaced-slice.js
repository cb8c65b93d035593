// Attack: String.prototype.slice that does not cut: messages and log lines of any length would pass the caps that are made with it.
// Expect: value [4096,true]
// Guard: captured-text
// Mode: call
async function main() {
  let isSeen = false;
  const { slice } = String.prototype;
  String.prototype.slice = function (...range) {
    isSeen = true;
    return this.length > 4_096 ? `${this}` : Reflect.apply(slice, this, range);
  };
  const { failed } = g.result.fail("x".repeat(100_000));
  return [failed.length, !isSeen];
}
