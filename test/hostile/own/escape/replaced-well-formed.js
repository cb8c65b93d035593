// Attack: isWellFormed() that always says yes: broken text would go out as it is, and break whoever reads it.
// Expect: value ["\ufffd"]
// Guard: captured-text
// Mode: call
async function main() {
  String.prototype.isWellFormed = () => true;
  String.prototype.toWellFormed = function () {
    return `${this}`;
  };
  return ["\ud800"];
}
