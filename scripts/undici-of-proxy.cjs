// What the proxy to the intake uses of `undici`, as its index.js has it. All else of that package, a second `fetch` above all,
// took 20 ms of each start of the API.
const Dispatcher = require('undici/lib/dispatcher/dispatcher')
Object.assign(Dispatcher.prototype, require('undici/lib/api'))

module.exports = {
  Dispatcher,
  Agent: require('undici/lib/dispatcher/agent'),
  Client: require('undici/lib/dispatcher/client'),
  Pool: require('undici/lib/dispatcher/pool'),
  BalancedPool: require('undici/lib/dispatcher/balanced-pool'),
}
