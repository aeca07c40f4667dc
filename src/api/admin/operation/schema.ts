import { type Static, Type } from 'typebox'
import { deviceId, instant, nullable } from '../../schemas.ts'

const orNull = (description: string, example: number) =>
  Type.Union([Type.Number({ examples: [example] }), Type.Null()], { description })
const count = (description: string) => Type.Integer({ description, minimum: 0, examples: [12] })
const oneOf = <Word extends string>(words: readonly Word[], description: string) =>
  Type.Unsafe<Word>({ type: 'string', enum: words, description })

const ServicePart = Type.Object(
  {
    name: Type.String({ description: 'database, intake, or storing of what arrives.', examples: ['database'] }),
    status: oneOf(
      ['ready', 'failing', 'not ready'],
      'failing: requests are answered, but something does not work. not ready: it can not be used.',
    ),
    reason: nullable(
      Type.String({
        description: 'What is wrong; null when nothing is.',
        examples: ['The disk of the database is full: nothing was stored.'],
      }),
    ),
    sinceTimestamp: nullable(instant('Since when; null where that is unknown.')),
  },
  { title: 'ServicePart', description: 'A part of the service, and how it is.' },
)

const REASONS = ['unreadable', 'unknown device', 'claimed device', 'network', 'not stored'] as const

const RefusedSender = Type.Object(
  {
    lastTimestamp: instant('When it was refused last.'),
    times: Type.Integer({ description: 'How often, as far as frames are kept.', minimum: 1, examples: [12] }),
    gateway: Type.String({ description: 'The protocol.', examples: ['teltonika'] }),
    deviceId: Type.Union([deviceId, Type.Null()], {
      description: 'The dongle that the sender claims to be; null where it does not say.',
    }),
    sender: Type.String({ description: 'The address it came from.', examples: ['192.0.2.7'] }),
    reason: oneOf(REASONS, 'Why, as far as it decides what can be done.'),
    why: Type.String({
      description: 'The same in words.',
      examples: ['The device 356307042441013 is unknown and may not join.'],
    }),
    isKnown: Type.Boolean({ description: 'The dongle is registered by now.' }),
  },
  { title: 'RefusedSender', description: 'Somebody whose frames or logins were refused.' },
)

const Machine = Type.Object(
  {
    underivedSeconds: orNull('For how long the oldest stored record has been waiting to be derived.', 0.4),
    databaseBytes: orNull('Size of the database.', 2_500_000_000),
    disk: Type.Union([
      Type.Object({
        freeBytes: Type.Number({ description: 'Free space.', examples: [80_000_000_000] }),
        sizeBytes: Type.Number({ description: 'Its size.', examples: [120_000_000_000] }),
        daysLeft: orNull('Days until it is full as it fills; null while it does not, and in the first hour.', 140),
      }),
      Type.Null(),
    ]),
    backup: Type.Union([
      Type.Object({
        ageSeconds: orNull('Age of the newest backup; null while there is none.', 3600),
        logLagSeconds: orNull(
          'Seconds up to now that are in no backup: what would be lost with the disk; null while nothing is archived.',
          4,
        ),
      }),
      Type.Null(),
    ]),
    processes: Type.Array(
      Type.Object({
        process: oneOf(['api', 'intake'], 'What it does.'),
        host: Type.String({ description: 'The machine.', examples: ['node-1'] }),
        pid: Type.Integer({ description: 'Its number there.', examples: [4711] }),
        sinceTimestamp: instant('Since when it is connected to the database.'),
      }),
    ),
    standbys: Type.Array(
      Type.Object({
        name: Type.String({ description: 'Its application_name.', examples: ['standby-1'] }),
        lagBytes: orNull('What it has not replayed yet; null where Tacho may not know.', 0),
        lagSeconds: orNull('How old that is; null where Tacho may not know, and when it has replayed all.', 0),
      }),
    ),
    clockDifferenceSeconds: orNull('By how much the clock of this machine is ahead of that of the database.', 0.001),
    pending: Type.Array(
      Type.Object({
        account: nullable(Type.String({ description: 'Its name; null while it is not known whose they are.' })),
        samples: count('Samples that wait to be committed.'),
      }),
    ),
    failingJobs: Type.Array(
      Type.Object({
        name: Type.String({ description: 'What it does.', examples: ['summing up days'] }),
        sinceTimestamp: instant('Since when every run fails.'),
        failures: count('How many runs in a row have failed.'),
      }),
    ),
  },
  { title: 'Machine', description: 'Machine and database; null means that it can not be known now.' },
)

export const Operation = Type.Object(
  {
    timestamp: instant('When this was asked, by the clock of the machine.'),
    parts: Type.Array(ServicePart),
    pendingSamples: count('Samples of this account that were received and are not stored yet.'),
    refused: Type.Array(RefusedSender, {
      description: 'The last first: all, to administrators of the first account, else of dongles of this account.',
    }),
    machine: Type.Union([Machine, Type.Null()], {
      description: 'Null to administrators of other accounts than the first.',
    }),
  },
  { title: 'Operation', description: 'How the service is.' },
)
export type Operation = Static<typeof Operation>
