import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anySample } from '../../../test/any-sample.ts'
import type { DeviceId } from '../../model/sample.ts'
import { SampleQueue } from './sample-queue.ts'

const DEVICE = 356_307_042_441_013 as DeviceId

test('samples come out as they went in, however many there are and whatever was in that memory before', () => {
  fc.assert(
    fc.property(fc.array(anySample({ deviceIds: fc.constant(DEVICE) }), { maxLength: 60 }), samples => {
      const queue = new SampleQueue()
      for (const sample of samples) queue.push(sample)
      expect(queue).toHaveLength(samples.length)
      expect(queue.samplesOf(DEVICE)).toEqual(samples)
      queue.release()
    }),
  )
})
