import { Monitor, Moon, Sun, type LucideIcon } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { User } from "#/session/session";
import { personName } from "#/domain/person";
import { useRoleLabel } from "#/shared/words/role-label";
import { setTheme, useTheme, type ThemeChoice } from "#/shared/theme";
import { MenuChoice, MenuLink, MenuSeparator } from "#/shared/ui/menu";
import { PageLink } from "#/shared/ui/page-link";
import { useThemeOptions } from "#/shared/ui/theme-choice";
import type { NavLink } from "./nav";
import { navIcons } from "./nav-icons";

/** From here on the header has the links of the place "wideBar". */
const wide = window.matchMedia("(width >= 80rem)");

export function MenuLinks({ links }: { links: readonly NavLink[] }) {
  const { t } = useTranslation();
  // A hidden item would take the focus of the opened menu.
  const shown = links.filter(({ place }) => place !== "wideBar" || !wide.matches);
  return shown.map((link) => {
    const Icon = navIcons[link.to];
    return (
      <MenuLink key={link.label}>
        <PageLink to={link.to} className="aria-[current=page]:font-semibold">
          <Icon aria-hidden className="size-4 text-muted" />
          {t(link.label)}
        </PageLink>
      </MenuLink>
    );
  });
}

const themeIcons: Record<ThemeChoice, LucideIcon> = { light: Sun, dark: Moon, system: Monitor };

export function AccountItems({ user, links }: { user: User; links: readonly NavLink[] }) {
  const { t } = useTranslation();
  const roleLabel = useRoleLabel();
  const name = personName(user);
  const themes = useThemeOptions().map((option) => {
    const Icon = themeIcons[option.value];
    return { ...option, icon: <Icon aria-hidden className="size-4 text-muted" /> };
  });
  return (
    <>
      <div className="max-w-64 px-3 pt-1.5 pb-2">
        <p className="truncate font-semibold">{name}</p>
        <p className="truncate text-sm text-muted">
          {user.businessName && user.businessName !== name
            ? `${roleLabel(user.role)} · ${user.businessName}`
            : roleLabel(user.role)}
        </p>
      </div>
      {links.length > 0 && (
        <>
          <MenuSeparator />
          <MenuLinks links={links} />
        </>
      )}
      <MenuSeparator />
      <MenuChoice
        label={t("shell.theme.label")}
        value={useTheme()}
        options={themes}
        onChange={setTheme}
      />
    </>
  );
}
