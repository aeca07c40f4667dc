import { Badge, Group, Stack, Text } from '@mantine/core'
import {
  type Icon,
  IconAlertTriangle,
  IconCloudUpload,
  IconNavigation,
  IconParking,
  IconPlayerPause,
  IconPlugConnectedX,
  IconPlugX,
  IconQuestionMark,
} from '@tabler/icons-react'
import { formatAge, formatDuration, formatNumber, formatQuantity, textsIn, useTexts } from '../language/language.ts'
import { Hint } from '../page/page.tsx'
import type { CarState, Energy, Health, Movement, MovementKind, Reason } from './car-state.ts'
import { type Contact, isConnected } from './dongle-state.ts'

/** So many codes are named before the others are counted. */
const MOST_CODES = 3

/** Why a car needs a look, in words. */
export function reasonText(reason: Reason): string {
  const texts = textsIn('carState')
  switch (reason.kind) {
    case 'battery': {
      const [text, volts] = [texts.batteries[reason.state], reason.voltageV]
      return volts === undefined ? text : texts.withVoltage(text, formatQuantity(volts, 'V'))
    }
    case 'lamp':
      return texts.lamp
    case 'codes':
      return texts.codes(reason.codes.slice(0, MOST_CODES), Math.max(0, reason.codes.length - MOST_CODES))
    case 'unnamedCodes': {
      const count = reason.count === undefined ? undefined : formatNumber(reason.count, 0)
      return texts.unnamedCodes[reason.why](count)
    }
    case 'unplugged':
      return texts.unplugged
  }
}

/** What there is to say of a movement beside its name; empty when the name says it all. */
export function movementDetail(movement: Movement, nowMs: number): string {
  const texts = textsIn('carState')
  switch (movement.kind) {
    case 'driving':
      return movement.speedKmh === undefined ? '' : formatQuantity(movement.speedKmh, 'km/h', 0)
    case 'silent': {
      const age = formatAge(movement.sinceMs, nowMs)
      return movement.isInTrip ? texts.lostInTrip(age) : texts.lastValues(age)
    }
    case 'withoutDongle':
      return movement.sinceMs === undefined
        ? texts.neverHadDongle
        : texts.dongleGone(formatAge(movement.sinceMs, nowMs))
    case 'catchingUp':
      return texts.catchingUp(formatAge(movement.measuredMs, nowMs))
    case 'neverReported':
      return texts.neverHeard
    case 'idling':
    case 'parked':
      return ''
  }
}

/** The same in the few words that a row of a list has room for: speed, else the age of the newest value. */
export function shortDetail({ movement, newestMs }: CarState, nowMs: number): string {
  if (movement.kind === 'driving') return movementDetail(movement, nowMs)
  return newestMs === undefined ? '' : formatAge(newestMs, nowMs)
}

const DAY_S = 24 * 3600

/** How long ago the trip ended that brought a car to where it is parked; empty when that is yet to come. */
export function parkedText(endMs: number, nowMs: number): string {
  const texts = textsIn('carState')
  const parkedS = (nowMs - endMs) / 1000
  if (parkedS < 0) return ''
  if (parkedS < 2 * DAY_S) return texts.parkedFor(formatDuration(parkedS))
  return texts.parkedForDays(formatNumber(Math.floor(parkedS / DAY_S), 0))
}

export function energyText({ kind, value, unit, isCharging }: Energy): string {
  const texts = textsIn('carState')
  const amount = `${texts.energy[kind]} ${formatQuantity(value, unit, 0)}`
  return isCharging ? `${amount}, ${texts.charging}` : amount
}

/** When a dongle was heard last. */
export function heardText(contact: Contact, nowMs: number): string {
  const texts = textsIn('carState')
  // What it sends now may have been measured long ago.
  if (isConnected(contact)) return texts.heardNow
  if ('because' in contact) return contact.because === 'forbidden' ? texts.notVisible : texts.awaited
  return 'heardMs' in contact && contact.heardMs !== undefined ? formatAge(contact.heardMs, nowMs) : texts.never
}

interface StateColor {
  /** A colour of the theme, for badges and marks. */
  readonly name: string
  /** The same for what is not drawn by the browser's style sheets: maps, charts. Seen on light and dark ground. */
  readonly hex: string
}

interface MovementLooks extends StateColor {
  readonly icon: Icon
  readonly variant: 'light' | 'outline'
}

/**
 * One colour per movement, everywhere; shapes and words show it, too. In the order of the list: after what needs attention, what is not as it
 * should be, then what moves.
 */
export const MOVEMENT_LOOKS: Readonly<Record<MovementKind, MovementLooks>> = {
  silent: { name: 'red', hex: '#a8636b', icon: IconPlugConnectedX, variant: 'outline' },
  driving: { name: 'teal', hex: '#099268', icon: IconNavigation, variant: 'light' },
  idling: { name: 'lime', hex: '#5c940d', icon: IconPlayerPause, variant: 'light' },
  catchingUp: { name: 'indigo', hex: '#5c6bc0', icon: IconCloudUpload, variant: 'outline' },
  parked: { name: 'gray', hex: '#748089', icon: IconParking, variant: 'light' },
  neverReported: { name: 'gray', hex: '#8d7f9c', icon: IconQuestionMark, variant: 'outline' },
  withoutDongle: { name: 'gray', hex: '#8d7f9c', icon: IconPlugX, variant: 'outline' },
}

export const MOVEMENTS = Object.keys(MOVEMENT_LOOKS) as readonly MovementKind[]

export const ATTENTION_COLOR: StateColor = { name: 'orange', hex: '#e8590c' }

/** What a car does, shown by colour, symbol and word. */
export function MovementBadge({ movement }: { readonly movement: MovementKind }) {
  const texts = useTexts('carState')
  const { name, icon: Symbol, variant } = MOVEMENT_LOOKS[movement]
  return (
    <Badge
      color={name}
      variant={variant}
      c={badgeInk(name)}
      leftSection={<Symbol size={12} stroke={2} aria-hidden />}
      tt="none"
      style={{ flexShrink: 0 }}
    >
      {texts.movements[movement]}
    </Badge>
  )
}

/** Orange that is read on light and dark ground. */
const ATTENTION_INK = 'light-dark(#a63c00, var(--mantine-color-orange-4))'

/** The most urgent reason for attention and how many more there are, on one line; nothing when there is none. */
export function AttentionLine({ health }: { readonly health: Health }) {
  const texts = useTexts('carState')
  if (health.kind !== 'attention') return null
  const [first, ...others] = health.reasons
  return (
    <Text fz="xs" fw={600} c={ATTENTION_INK} truncate title={health.reasons.map(each => reasonText(each)).join('\n')}>
      <IconAlertTriangle
        size={13}
        stroke={2}
        role="img"
        aria-label={texts.needsAttention}
        style={{ verticalAlign: -2, marginRight: 4 }}
      />
      {reasonText(first)}
      {others.length > 0 && ` +${others.length}`}
    </Text>
  )
}

/** Every reason for attention, else what is known of the health of a car. */
export function HealthText({ health }: { readonly health: Health }) {
  const texts = useTexts('carState')
  if (health.kind !== 'attention') return <Hint>{texts.healths[health.kind]}</Hint>
  return (
    <Stack gap={2} component="ul" m={0} p={0} style={{ listStyle: 'none' }} aria-label={texts.needsAttention}>
      {health.reasons.map(reason => (
        <Group key={reason.kind} component="li" gap={6} wrap="nowrap" align="start" c={ATTENTION_INK}>
          <IconAlertTriangle size={16} stroke={2} aria-hidden style={{ flexShrink: 0, marginTop: 2 }} />
          <Text fz="sm" fw={600}>
            {reasonText(reason)}
          </Text>
        </Group>
      ))}
    </Stack>
  )
}

/** The theme's letters on light badges of a colour are too pale to be read at their size. */
export function badgeInk(color: string): string {
  return `light-dark(color-mix(in srgb, var(--mantine-color-${color}-9), black 35%), var(--mantine-color-${color}-3))`
}
