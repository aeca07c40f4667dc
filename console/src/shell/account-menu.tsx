import { ActionIcon, Text } from '@mantine/core'
import { IconBook, IconKey, IconLogout, IconUser } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Menu, MenuItem } from '../dialog/menu.tsx'
import { useTexts } from '../language/language.ts'
import { logOut } from '../session/session.ts'
import { sessionQuery } from '../session/use-session.ts'

export function AccountMenu() {
  const texts = useTexts('shell')
  const { data: session } = useQuery(sessionQuery)
  return (
    <Menu
      renderTarget={opener => (
        <ActionIcon variant="default" size="lg" aria-label={texts.account} {...opener}>
          <IconUser size={18} stroke={1.6} />
        </ActionIcon>
      )}
    >
      {session && (
        <Text fz="xs" c="dimmed" p="xs" role="presentation">
          {`${session.name} · ${session.account.name}`}
        </Text>
      )}
      <MenuItem leftSection={<IconBook size={16} />} href="/docs">
        {texts.apiDocumentation}
      </MenuItem>
      {session?.kind === 'user' && (
        <MenuItem leftSection={<IconKey size={16} />} renderRoot={props => <Link {...props} to="/account" />}>
          {texts.changePassword}
        </MenuItem>
      )}
      <MenuItem leftSection={<IconLogout size={16} />} onClick={() => void logOut()}>
        {texts.logOut}
      </MenuItem>
    </Menu>
  )
}
