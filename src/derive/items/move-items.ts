import type { LockedDevice } from '../../db/shards/locked-devices.ts'
import { assignmentAt } from '../device-records.ts'
import type { Move } from '../fact.ts'
import type { ItemKind } from './item-kind.ts'
import { addItems, readItems, retractItems } from './write-items.ts'

const ALWAYS = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY }

/** An item belongs to the vehicle in which the device was when it began; it gets a new row in the right one. */
export async function moveItems(locked: LockedDevice, kind: ItemKind, { assignments }: Move): Promise<void> {
  const device = { deviceId: locked.deviceId, assignments }
  const moved = (await readItems(locked, kind, [{ device, ...ALWAYS }])).flatMap(item => {
    const assignment = assignmentAt(device, item.startMs)
    const isRight = assignment?.vehicleId === item.vehicleId && assignment.accountId === item.accountId
    return isRight ? [] : [{ item, assignment }]
  })
  await retractItems(
    locked,
    kind,
    moved.map(({ item }) => item),
  )
  await addItems(
    locked,
    kind,
    moved.flatMap(({ item, assignment }) => {
      if (!assignment) return []
      const { accountId, vehicleId } = assignment
      return [{ ...item, accountId, vehicleId }]
    }),
  )
}
