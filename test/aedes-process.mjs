// An MQTT 3.1.1 broker in a process of its own: `aedes-process.mjs PORT`.
import { createServer } from 'node:net'
import { Aedes } from 'aedes'

const broker = await Aedes.createBroker()
createServer(broker.handle).listen(Number(process.argv[2]), '127.0.0.1')
