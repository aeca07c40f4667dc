import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Where mosquitto is, a broker that speaks MQTT 5; undefined when this machine has none. Debian keeps it in `sbin`. */
export const MOSQUITTO = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin']
  .map(folder => join(folder, 'mosquitto'))
  .find(file => existsSync(file))
