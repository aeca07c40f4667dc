import { Button, Code, CopyButton, Group, Stack, Text } from '@mantine/core'
import { useTexts } from '../language/language.ts'
import type { setupOf } from './setup.ts'

/** What is typed into the tool of the vendor, each to be copied. */
export function SetupLines({ lines }: { readonly lines: ReturnType<typeof setupOf> }) {
  const texts = useTexts('addDongle')
  return (
    <Stack component="dl" gap="xs" m={0}>
      {lines.map(({ name, value }) => (
        <Group key={name} gap="sm" align="center">
          <Text component="dt" fz="sm" c="dimmed" w={150}>
            {texts.names[name]}
          </Text>
          <Group component="dd" m={0} gap="xs" flex={1} miw={200} wrap="nowrap" align="center">
            <Code block fz="sm" flex={1} style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
              {value}
            </Code>
            <CopyButton value={value}>
              {({ copied, copy }) => (
                <Button
                  size="compact-sm"
                  variant="default"
                  aria-label={`${copied ? texts.copied : texts.copy}: ${texts.names[name]}`}
                  onClick={copy}
                >
                  {copied ? texts.copied : texts.copy}
                </Button>
              )}
            </CopyButton>
          </Group>
        </Group>
      ))}
    </Stack>
  )
}
