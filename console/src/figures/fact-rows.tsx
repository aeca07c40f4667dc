import { Group, Stack, Text } from '@mantine/core'

export interface FactRow {
  readonly name: string
  readonly text: string
  readonly isWorrying?: boolean
}

/** Names with what they are, one below the other. */
export function FactRows({ rows }: { readonly rows: readonly FactRow[] }) {
  return (
    <Stack component="dl" gap={4} m={0}>
      {rows.map(({ name, text, isWorrying }) => (
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
      ))}
    </Stack>
  )
}
