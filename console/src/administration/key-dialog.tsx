import { Alert, Button, Code, CopyButton, Group, Stack, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { queryClient } from '../api/query-client.ts'
import { ask } from '../api/request.ts'
import type { Permission } from '../api/types.ts'
import { dayOf, startOfDayMs } from '../calendar/days.ts'
import { Dialog } from '../dialog/dialog.tsx'
import { FormButtons } from '../dialog/form-buttons.tsx'
import { useTexts } from '../language/language.ts'
import { PermissionChoice } from './permission-choice.tsx'
import { keysQuery } from './queries.ts'
import { permissionsOf } from './roles.ts'

/** Creates a key and shows it, the only time that it can be seen. */
export function KeyDialog({ onClose }: { readonly onClose: () => void }) {
  const texts = useTexts('administration')
  const [name, setName] = useState('')
  const [expires, setExpires] = useState('')
  const [permissions, setPermissions] = useState<readonly Permission[]>(permissionsOf('manager'))
  const [today] = useState(() => dayOf(Date.now()))
  const make = useMutation({
    mutationFn: () =>
      ask('POST /admin/keys', {
        body: {
          name: name.trim(),
          permissions: [...permissions],
          // The key is good until the end of the day that is chosen.
          ...(expires === '' ? {} : { expiresTimestamp: new Date(startOfDayMs(expires, 1) - 1).toISOString() }),
        },
      }),
    // The key is shown at once, whether or not the list comes.
    onSuccess: () => void queryClient.invalidateQueries({ queryKey: keysQuery.queryKey }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    make.mutate()
  }
  // A user who closed this while the key is created would never see it.
  const close = () => {
    if (!make.isPending) onClose()
  }
  if (make.data) return <MadeKey value={make.data.key} onClose={onClose} />
  return (
    <Dialog title={texts.addKey} onClose={close}>
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
          <TextInput
            type="date"
            label={texts.expires}
            description={texts.expiresHint}
            min={today}
            value={expires}
            onChange={event => setExpires(event.currentTarget.value)}
          />
          <PermissionChoice value={permissions} onChange={setPermissions} />
          <FormButtons
            error={make.error}
            isPending={make.isPending}
            onCancel={close}
            action={texts.addKey}
            isCancelDisabled={make.isPending}
          />
        </Stack>
      </form>
    </Dialog>
  )
}

function MadeKey({ value, onClose }: { readonly value: string; readonly onClose: () => void }) {
  const texts = useTexts('administration')
  return (
    <Dialog title={texts.addKey} onClose={onClose} isKept>
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
    </Dialog>
  )
}
