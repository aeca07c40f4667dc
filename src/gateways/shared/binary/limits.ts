/** Limits of one peer and of all peers. The protocol limits the length of a packet. */
export const LIMITS = {
  /** Beyond this, the oldest one that has not logged in is closed, or else the new one. */
  mostConnections: 50_000,
  /**
   * Connections of one peer that have not logged in; beyond it, the oldest is closed. All dongles of a carrier may connect
   * from one address and, after an outage, at the same time; but each of them logs in within a second.
   */
  unnamedOfPeer: 1000,
  /** Connections of one dongle from one peer, and from all: see `roomForOneMore`. */
  ofDeviceAndPeer: 3,
  ofDevice: 8,
  /** From the connection to the complete IMEI. */
  loginMs: 30_000,
  /** From the IMEI to its answer, whatever that is, so that the time of the lookup reveals nothing. */
  answerLoginAfterMs: 100,
  /** See `RefusedLogins`. */
  strangersAtOnce: 20,
  strangerMs: 10_000,
  /** From the first byte of a frame to its last. */
  frameMs: 60_000,
  /**
   * Without a byte: longer than the hour between two records of a dongle in a parked car. A peer that is
   * really gone is detected much sooner, by TCP keep-alive.
   */
  idleMs: 70 * 60_000,
  /** After this long without data, the kernel sends TCP keep-alive probes. */
  probeAfterMs: 60_000,
  /** For the peer to close its side, too. */
  farewellMs: 5_000,
  /** Frames of one connection that wait for their commit; then nothing more is read from it. */
  framesInFlight: 8,
  /** Datagrams that wait for their commit; more are dropped. */
  datagramsInFlight: 20_000,
  /** Answers that a peer has not received. */
  answerBytes: 16 * 1024,
  /** Frames of all peers, complete or not, that are not answered yet. */
  heldBytes: 64 * 1024 * 1024,
  /** The same for one peer: enough for a frame of each of 10,000 dongles behind one address. */
  heldBytesOfPeer: 16 * 1024 * 1024,
  /** A sender that waits for answers is silent at least this long after a frame that gets none. */
  unansweredMs: 100,
  /** How often connections are checked. */
  sweepMs: 1000,
} as const

/** The limits above; tests use shorter times. */
export type Limits = { readonly [Name in keyof typeof LIMITS]: number }
