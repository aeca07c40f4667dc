import { openDatabase } from '../src/db/database.ts'
import { sealHistory } from '../src/pipeline/sealing/seal-history.ts'
import { sealingOptions } from './sealed-world.ts'

/* Seals a database until everything is sealed or it is killed: `sealing-process.ts URL`. */
const database = openDatabase({ url: process.argv[2] ?? '' })
console.log('begins')
await sealHistory(database, sealingOptions(database, { quietS: 0 }))
console.log('done')
await database.close()
