import { openDatabase } from '../src/db/database.ts'
import { sealHistory } from '../src/jobs/seal-history.ts'
import { sealingOptions } from './sealed-world.ts'

/*
 * Seals a database until everything is sealed or it is killed: `sealing-process.ts URL [DAYS]`. After so many days of devices it stands
 * still: who kills it on a busy machine comes late.
 */
const [, , url = '', most = 'Infinity'] = process.argv
const database = openDatabase({ url })
let left = Number(most)
const pace = {
  restAfter: async () => {
    if (--left <= 0) await new Promise(() => undefined)
  },
}
console.log('begins')
await sealHistory(database, { ...sealingOptions(database, { quietS: 0 }), pace })
console.log('done')
await database.close()
