// Imported before everything else, which older versions of Node cannot load. Says so, and ends.
const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Tacho needs Node 20.19 or later; this is ${process.versions.node}.`)
  process.exit(1)
}
