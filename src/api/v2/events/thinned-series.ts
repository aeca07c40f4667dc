import type { EventTypeId } from '../../../catalogue/event-types.ts'
import { batteryStateOf } from '../../../derive/latest-values/derive/battery-state.ts'
import { type DeviceId, SampleLayout } from '../../../model/sample.ts'
import { type HourColumns, numberOf, type RawSample, textsOf } from '../../../store/index.ts'
import { type EventSlot, eventTemplates, type TemplateOf } from '../../raw-values.ts'
import { byteFrame } from './page.ts'
import type { Thinning } from './thinning.ts'

/** One event type of one device. */
export interface Series {
  readonly deviceId: DeviceId
  readonly slot: EventSlot
  readonly thinning: Thinning
}

/** The values of event types of a device, hour by hour, ascending. */
type HoursOfTypes = ReadonlyMap<EventTypeId, HourColumns>

/** The series of some devices while they are read. */
export class SeriesInReading {
  readonly #createThinning: () => Thinning
  readonly #ofDevices = new Map<DeviceId, Map<EventTypeId, Series>>()

  constructor(createThinning: () => Thinning) {
    this.#createThinning = createThinning
  }

  /** What was read so far. */
  all(): Series[] {
    return [...this.#ofDevices.values()].flatMap(ofDevice => [...ofDevice.values()])
  }

  /** Adds samples in the order of time, as far as their types are accepted. */
  async addSamples(chunks: AsyncIterable<readonly RawSample[]>, accept: (type: EventTypeId) => boolean): Promise<void> {
    const templateOf = eventTemplates(byteFrame, accept)
    for await (const samples of chunks) for (const sample of samples) this.#addSample(sample, templateOf)
  }

  /**
   * Adds what rollups say of a device, and samples between their hours.
   * @param chunks samples of that device in the order of time, none in one of the hours
   */
  async addRolled(deviceId: DeviceId, hours: HoursOfTypes, chunks: AsyncIterable<readonly RawSample[]>): Promise<void> {
    const templateOf = eventTemplates(byteFrame, type => hours.has(type))
    const rests = [...hours].flatMap(([type, ofType]) => {
      const [slot] = templateOf(SampleLayout.of([type])).slots
      return slot && ofType.length > 0 ? { thinning: this.#seriesOf(deviceId, slot).thinning, ofType, next: 0 } : []
    })
    const addBefore = (timeMs: number) => {
      for (const rest of rests)
        for (const firstMs = rest.ofType.column('firstMs'); rest.next < rest.ofType.length; rest.next++) {
          if ((firstMs[rest.next] as number) >= timeMs) break
          rest.thinning.addHour(rest.ofType, rest.next)
        }
    }
    for await (const samples of chunks)
      for (const sample of samples) {
        addBefore(sample.timeMs)
        this.#addSample(sample, templateOf)
      }
    addBefore(Number.POSITIVE_INFINITY)
  }

  #addSample(sample: RawSample, templateOf: TemplateOf): void {
    const { slots } = templateOf(sample.layout)
    const texts = slots.some(slot => slot.kind === 'STRING') ? textsOf(sample) : []
    for (const slot of slots) {
      const value = valueOf(slot, sample, texts)
      if (value === undefined) continue
      this.#seriesOf(sample.deviceId, slot).thinning.add({ timeMs: sample.timeMs, value })
    }
  }

  #seriesOf(deviceId: DeviceId, slot: EventSlot): Series {
    let ofDevice = this.#ofDevices.get(deviceId)
    if (!ofDevice) this.#ofDevices.set(deviceId, (ofDevice = new Map()))
    let series = ofDevice.get(slot.type)
    if (!series) ofDevice.set(slot.type, (series = { deviceId, slot, thinning: this.#createThinning() }))
    return series
  }
}

/** A BOOLEAN is 0 or 1; undefined where the voltage gives no battery state. */
function valueOf({ kind, index }: EventSlot, sample: RawSample, texts: readonly string[]) {
  if (kind === 'STRING') return texts[index]
  const value = numberOf(sample, index)
  return kind === 'BATTERY_STATE' ? batteryStateOf(value) : value
}
