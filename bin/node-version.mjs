/** Ends the process when this Node is too old for the program, which it could not even load. */
export function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major > 20 || (major === 20 && minor >= 19)) return
  console.error(`Tacho needs Node 20.19 or later; this is ${process.versions.node}.`)
  process.exit(1)
}
