// Attack: A method of URL is replaced: the web's classes are not frozen, since libraries patch them.
// Expect: value "http://a/"
// Mode: tool
// Guard: web-names-of-one-call
// Before: this
async function main({ turn }) {
  if (turn === 2) return new URL("http://a/").toString();
  URL.prototype.toString = () => "left";
}
