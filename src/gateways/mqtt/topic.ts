import { type DeviceId, deviceIdOfText } from '../../model/sample.ts'

/** What devices publish: `tacho/{imei}/events`. */
export const EVENTS_FILTER = 'tacho/+/events'

/** The same as a shared subscription (MQTT 5, 4.8.2): each message is delivered to one of its connections. */
export const SHARED_EVENTS_FILTER = `$share/tacho/${EVENTS_FILTER}`

const EVENTS_TOPIC = /^tacho\/([^/]+)\/events$/

/** @returns the device that the topic names, or undefined when that is no IMEI. */
export function deviceOfTopic(topic: string): DeviceId | undefined {
  return deviceIdOfText(EVENTS_TOPIC.exec(topic)?.[1] ?? '')
}
