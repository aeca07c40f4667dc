// A thread that folds stored samples by a rule: see folding-threads.ts.
import { parentPort } from 'node:worker_threads'
import type { IncidentItem } from '../../../derive/incidents/derive/finding.ts'
import { isIn } from '../../../model/time-range.ts'
import { AskedSource } from './asked-source.ts'
import { DeviceFolds } from './fold-device.ts'
import { type FoundIncident, Tallying } from './tally.ts'
import type { DeviceStays, Folded, FromThread, ToThread } from './thread-messages.ts'

const tell = (message: FromThread) => parentPort?.postMessage(message, [])
const source = new AskedSource(tell)
let folds: DeviceFolds | undefined
/** Of a rule: what came after the first ones of a device needs not be told of the next one, either. */
let tallying = new Tallying()

parentPort?.on('message', (message: ToThread) => {
  switch (message.kind) {
    case 'rule':
      folds = new DeviceFolds(source, message.book)
      tallying = new Tallying()
      return
    case 'device':
      // An error ends the thread, and is passed to the request that waits for it.
      void fold(message.device)
      return
    default:
      source.answer(message)
  }
})

async function fold(device: DeviceStays): Promise<void> {
  if (!folds) throw new Error('no rule to fold by')
  for await (const { items, count } of folds.fold(device))
    tell({ kind: 'folded', deviceId: device.deviceId, folded: { count, ...told(device, items) } })
  tell({ kind: 'done', deviceId: device.deviceId })
}

/** What becomes of incidents of a device. Those that began in none of its cars are left out. */
function told({ deviceId, stays }: DeviceStays, items: readonly IncidentItem[]): Omit<Folded, 'count'> {
  const found: FoundIncident[] = []
  const rivals: FoundIncident[] = []
  for (const item of items) {
    const stay = stays.find(each => isIn(each, item.startMs))
    if (stay) (stay.isShared ? rivals : found).push({ publicId: stay.publicId, deviceId, item })
  }
  return { rivals, found: tallying.tally(found) }
}
