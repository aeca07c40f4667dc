import { Group, Stack, Text } from '@mantine/core'
import { type ReactNode } from 'react'

/** Some figures that sum up a page, side by side. */
export function Figures({ children }: { readonly children: ReactNode }) {
  return (
    <Group component="dl" gap="xl" m={0} align="start" style={{ rowGap: 12 }}>
      {children}
    </Group>
  )
}

interface FigureProps {
  readonly label: string
  /** What it is compared with, below; nothing when absent. */
  readonly hint?: string | undefined
  readonly children: ReactNode
}

/** One figure with what it means. */
export function Figure({ label, hint, children }: FigureProps) {
  return (
    <Stack gap={0}>
      <Text component="dt" fz="xs" c="dimmed">
        {label}
      </Text>
      <Text component="dd" m={0} fz="xl" fw={650} lh={1.3} style={{ fontVariantNumeric: 'tabular-nums' }}>
        {children}
      </Text>
      {hint && (
        <Text component="dd" m={0} fz="xs" c="dimmed">
          {hint}
        </Text>
      )}
    </Stack>
  )
}

interface FactProps {
  readonly name: string
  /** The line below; none when empty. */
  readonly hint?: string
  readonly children: ReactNode
}

/** A term of a `dl` with what it is. */
export function Fact({ name, hint, children }: FactProps) {
  return (
    <div style={{ maxWidth: 260 }}>
      <Text component="dt" fz="xs" c="dimmed">
        {name}
      </Text>
      <Text component="dd" m={0} fw={600}>
        {children}
      </Text>
      {hint && (
        <Text component="dd" m={0} fz="sm">
          {hint}
        </Text>
      )}
    </div>
  )
}

export interface FactRow {
  readonly name: string
  /** The row is left out where there is none. */
  readonly text: string | undefined
  readonly isWorrying?: boolean
}

/** Names with what they are, one below the other. */
export function FactRows({ rows }: { readonly rows: readonly FactRow[] }) {
  return (
    <Stack component="dl" gap={4} m={0}>
      {rows.map(
        ({ name, text, isWorrying }) =>
          text && (
            <Group key={name} justify="space-between" gap="sm" wrap="nowrap">
              <Text component="dt" fz="sm" c="dimmed">
                {name}
              </Text>
              <Text
                component="dd"
                m={0}
                fz="sm"
                ta="right"
                fw={isWorrying ? 600 : undefined}
                c={isWorrying ? 'light-dark(var(--mantine-color-red-8), var(--mantine-color-red-4))' : undefined}
              >
                {text}
              </Text>
            </Group>
          ),
      )}
    </Stack>
  )
}
