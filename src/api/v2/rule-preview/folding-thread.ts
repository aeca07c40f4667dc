// A thread that folds stored samples by a rule: see folding-threads.ts.
import { parentPort } from 'node:worker_threads'
import { AskedSource } from './asked-source.ts'
import { DeviceFolds } from './fold-device.ts'
import type { DeviceStays, FromThread, ToThread } from './thread-messages.ts'

const tell = (message: FromThread) => parentPort?.postMessage(message, [])
const source = new AskedSource(tell)
let folds: DeviceFolds | undefined

parentPort?.on('message', (message: ToThread) => {
  switch (message.kind) {
    case 'rule':
      folds = new DeviceFolds(source, message.book)
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
  for await (const { items, count } of folds.fold(device)) tell({ kind: 'folded', items: JSON.stringify(items), count })
  tell({ kind: 'done' })
}
