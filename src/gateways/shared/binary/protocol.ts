import type { DeviceId, Sample } from '../../../model/sample.ts'

/** A binary protocol of dongles: how to find, read and answer its packets; `startBinaryGateway` does the rest. A
 * protocol is pure: no sockets, no database, no state between calls. */
export interface BinaryProtocol {
  /** In lower case. Its metrics begin with `tacho_<name>_`, and rejected frames are kept under this name. */
  readonly name: string
  /** The counter of values without an event type, by their id in this protocol. */
  readonly unknownIds: { readonly metric: string; readonly help: string }
  readonly stream: StreamProtocol
  /** Reads the header of a UDP datagram; the content is read when its device is known. */
  readonly readDatagram: (bytes: Buffer) => Datagram
}

/** The protocol of one TCP connection: a login, then frames. */
export interface StreamProtocol {
  /** The longest packet that is accepted. Nothing of a longer one is kept. */
  readonly mostBytes: number
  /** The length of the packet that begins with these bytes, of which there is at least one.
   * @returns at least 1, even if some of the packet is missing; undefined while more bytes are needed */
  readonly lengthOf: (begin: Buffer, isLoggedIn: boolean) => number | undefined | Broken
  readonly readPacket: (bytes: Buffer, isLoggedIn: boolean) => StreamPacket | Broken
  readonly readFrame: (bytes: Buffer, device: ReportingDevice) => ReportedFrame
  /** The answer to a refused login, and to anything sent instead of a login; empty if there is none. */
  readonly loginRefused: Buffer
}

export type StreamPacket =
  | {
      readonly kind: 'login'
      readonly imei: string
      /** The answer if that device may report. */
      readonly accepted: Buffer
    }
  /** A keep-alive and its answer, which is sent at once, even before earlier frames are acknowledged. */
  | { readonly kind: 'keep-alive'; readonly answer: Buffer | undefined }
  /** A report of a device. The bytes may share memory with what was received. */
  | { readonly kind: 'frame'; readonly bytes: Buffer }

export type Datagram =
  | { readonly kind: 'frame'; readonly imei: string; readonly read: (device: ReportingDevice) => ReportedFrame }
  | Broken

export type ReportedFrame =
  | {
      readonly kind: 'data'
      /** Two may have the same time. */
      readonly samples: readonly Sample[]
      /** Ids without an event type, and the number of records with each of them. */
      readonly unknownIds: ReadonlyMap<number, number>
      /** The answer, sent only when all samples are committed. */
      readonly acknowledgement: Buffer
    }
  /** Text of a device, such as the answer to a command: it is logged, neither stored nor answered. */
  | { readonly kind: 'messages'; readonly messages: readonly DeviceMessage[] }
  /** It gets no answer. Over TCP, the frame after it can still be read. */
  | Broken

export interface DeviceMessage {
  /** The kind of message, as a number of the protocol. */
  readonly fields: Readonly<Record<string, number>>
  readonly text: string
}

/** It is malformed. */
export interface Broken {
  readonly kind: 'broken'
  /** A sentence for the operator. */
  readonly why: string
}

export interface ReportingDevice {
  readonly deviceId: DeviceId
  /** The model, for example `FMB003`; empty when it is not known. */
  readonly hardwareType: string
}
