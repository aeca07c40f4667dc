import type { DeviceId, Sample } from '../../../model/sample.ts'

/**
 * One protocol in which dongles report in bytes: how its packets are found and read, and what they are answered. Everything
 * else is the same for all of them: `startBinaryGateway` runs one. A protocol is pure: it has neither sockets nor a database,
 * and keeps nothing between two calls.
 */
export interface BinaryProtocol {
  /** In small letters. Its metrics begin with `tacho_<name>_`, and what is refused is kept under this name. */
  readonly name: string
  /** The counter of values that no event type of the catalogue holds, by their id in this protocol. */
  readonly unknownIds: { readonly metric: string; readonly help: string }
  readonly stream: StreamProtocol
  /** Reads the head of a datagram of UDP; what is in it is read when its device is known. */
  readonly readDatagram: (bytes: Buffer) => Datagram
}

/** How a dongle talks over one connection of TCP: a login, then frames. */
export interface StreamProtocol {
  /** The longest packet that is taken. Of a longer one, nothing is kept. */
  readonly mostBytes: number
  /**
   * Says where the packet ends that begins with these bytes, of which there is at least one.
   * @param isLoggedIn whether a login was read on this connection
   * @returns the length of the packet, at least 1, whether or not all of it is there; undefined while more bytes are needed
   * to tell
   */
  readonly lengthOf: (begin: Buffer, isLoggedIn: boolean) => number | undefined | Broken
  /** Reads a whole packet. */
  readonly readPacket: (bytes: Buffer, isLoggedIn: boolean) => StreamPacket | Broken
  /** Reads what is in a frame. */
  readonly readFrame: (bytes: Buffer, device: ReportingDevice) => Frame
  /** The answer to a login that is refused, and to whatever comes in place of a login; empty where there is none. */
  readonly loginRefused: Buffer
}

/** One packet of a connection. */
export type StreamPacket =
  | {
      readonly kind: 'login'
      readonly imei: string
      /** What is answered when that device may report. */
      readonly accepted: Buffer
    }
  /** A sign of life, and what is answered to it: at once, so also before a frame that came earlier is acknowledged. */
  | { readonly kind: 'keep-alive'; readonly answer: Buffer | undefined }
  /** What a device reports. The bytes may share memory with what was received. */
  | { readonly kind: 'frame'; readonly bytes: Buffer }

/** What a device reports in one datagram. */
export type Datagram =
  | { readonly kind: 'frame'; readonly imei: string; readonly read: (device: ReportingDevice) => Frame }
  | Broken

/** What is in a frame. */
export type Frame =
  | {
      readonly kind: 'data'
      /** Two may have the same time. */
      readonly samples: readonly Sample[]
      /** Ids without a meaning in the catalogue, and in how many records each of them was. */
      readonly unknownIds: ReadonlyMap<number, number>
      /** What the device is answered when all samples are committed, and not before. */
      readonly acknowledgement: Buffer
    }
  /** What a device says in words, such as the answer to a command: it is logged, not stored and not answered. */
  | { readonly kind: 'messages'; readonly messages: readonly DeviceMessage[] }
  /** It gets no answer. Over TCP, the frame after it can still be read. */
  | Broken

export interface DeviceMessage {
  /** What kind of message it is, in the numbers of the protocol. */
  readonly fields: Readonly<Record<string, number>>
  readonly text: string
}

/** It can not be believed. */
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
