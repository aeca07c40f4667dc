import { Alert, Button, Code, CopyButton, Group, Modal, Stack, TextInput } from '@mantine/core'
import { DateInput } from '@mantine/dates'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { queryClient } from '../api/query-client.ts'
import { ask } from '../api/request.ts'
import type { Permission } from '../api/types.ts'
import { useTexts } from '../language/language.ts'
import { PermissionChoice } from './permission-choice.tsx'
import { VIEWER_PERMISSIONS } from './permissions.ts'
import { keysQuery } from './queries.ts'
import { administrationTexts } from './texts.ts'

/** Makes a key and shows it, the only time that anybody can see it. */
export function KeyDialog({ onClose }: { readonly onClose: () => void }) {
  const texts = useTexts(administrationTexts)
  const [name, setName] = useState('')
  const [expires, setExpires] = useState<string | null>(null)
  const [permissions, setPermissions] = useState<readonly Permission[]>(VIEWER_PERMISSIONS)
  const [today] = useState(() => new Date())
  const make = useMutation({
    mutationFn: () =>
      ask('POST /admin/keys', {
        body: {
          name: name.trim(),
          permissions: [...permissions],
          ...(expires === null ? {} : { expiresTimestamp: new Date(`${expires}T00:00`).toISOString() }),
        },
      }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: keysQuery.queryKey }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    make.mutate()
  }
  if (make.data) return <MadeKey value={make.data.key} onClose={onClose} />
  return (
    <Modal opened onClose={onClose} title={texts.addKey}>
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            label={texts.name}
            description={texts.nameHint}
            autoComplete="off"
            required
            value={name}
            onChange={event => setName(event.currentTarget.value)}
          />
          <DateInput
            label={texts.expires}
            placeholder={texts.never}
            clearable
            minDate={today}
            value={expires}
            onChange={setExpires}
          />
          <PermissionChoice value={permissions} onChange={setPermissions} />
          {make.error && (
            <Alert color="red" role="alert">
              {make.error.message}
            </Alert>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {texts.cancel}
            </Button>
            <Button type="submit" loading={make.isPending}>
              {texts.addKey}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

function MadeKey({ value, onClose }: { readonly value: string; readonly onClose: () => void }) {
  const texts = useTexts(administrationTexts)
  return (
    <Modal opened onClose={onClose} title={texts.addKey} closeOnClickOutside={false}>
      <Stack>
        <Alert color="yellow">{texts.keyMade}</Alert>
        <Code block style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
          {value}
        </Code>
        <Group justify="flex-end">
          <CopyButton value={value}>
            {({ copied, copy }) => (
              <Button variant="default" onClick={copy}>
                {copied ? texts.copied : texts.copy}
              </Button>
            )}
          </CopyButton>
          <Button onClick={onClose}>{texts.done}</Button>
        </Group>
      </Stack>
    </Modal>
  )
}
