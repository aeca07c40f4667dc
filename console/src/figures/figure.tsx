import { Group, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'

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
