/** What one peer, and all of them, may take of this process. How long a packet may be says its protocol. */
export const LIMITS = {
  /** Beyond this, the oldest one that has not logged in makes room, or else a new one is closed at once. */
  mostConnections: 50_000,
  /**
   * Connections of one peer that have not logged in; beyond it, the oldest makes room. All dongles of a carrier may come
   * from one address and, after an outage, at once; but each of them logs in within a second.
   */
  unnamedOfPeer: 1000,
  /** Connections of one dongle from one peer, and from all: see `roomForOneMore`. */
  ofDeviceAndPeer: 3,
  ofDevice: 8,
  /** From the connection to the whole IMEI. */
  loginMs: 30_000,
  /** From the IMEI to its answer, whatever that is: how long it takes to look it up tells nothing. */
  answerLoginAfterMs: 100,
  /** See `RefusedLogins`. */
  strangersAtOnce: 20,
  strangerMs: 10_000,
  /** From the first byte of a frame to its last. */
  frameMs: 60_000,
  /**
   * Without a byte, for longer than the hour that a dongle in a parked car lets pass between two records. One that is
   * really gone is found much sooner, by the keep-alive probes of TCP.
   */
  idleMs: 70 * 60_000,
  /** Without anything heard, the kernel asks whether the peer is still there. */
  probeAfterMs: 60_000,
  /** For the peer to close its side too. */
  farewellMs: 5_000,
  /** Frames of one connection that wait for their commit; then nothing more is read from it. */
  framesInFlight: 8,
  /** Datagrams that wait for their commit; more are passed over. */
  datagramsInFlight: 20_000,
  /** Answers that a peer did not take. */
  answerBytes: 16 * 1024,
  /** Frames of all peers, whole or not, that are not answered yet. */
  heldBytes: 64 * 1024 * 1024,
  /** The same of one peer: enough for a frame of each of 10,000 dongles behind one address. */
  heldBytesOfPeer: 16 * 1024 * 1024,
  /** A sender that waits for its answers is silent at least so long after a frame that gets none. */
  unansweredMs: 100,
  /** How often connections are looked at. */
  sweepMs: 1000,
} as const

/** As above; tests wait for less. */
export type Limits = { readonly [Name in keyof typeof LIMITS]: number }
