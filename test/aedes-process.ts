// An MQTT 3.1.1 broker in a process of its own: `aedes-process.ts PORT`. Tells its parent of each PUBACK it gets.
import { createServer } from 'node:net'
import { Aedes } from 'aedes'

const broker = await Aedes.createBroker()
// Of messages that nobody acknowledges `packet` is missing.
broker.on('ack', packet => packet && process.send?.('acknowledged'))
createServer(broker.handle).listen(Number(process.argv[2]), '127.0.0.1', () => process.send?.('listening'))
