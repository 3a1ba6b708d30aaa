import { clsx } from "clsx";
import { ChevronDown } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { User } from "#/session/session";
import { initialsOf, personName } from "#/domain/person";
import { useNavigation } from "#/shared/navigation";
import { onDemand } from "#/shared/on-demand";
import { Menu } from "#/shared/ui/menu";
import type { NavLink } from "./nav";

const moreItems = onDemand(() => import("./nav-menu-items").then((module) => module.MenuLinks));
const accountItems = onDemand(() =>
  import("./nav-menu-items").then((module) => module.AccountItems),
);

function useCurrent(links: readonly NavLink[]): NavLink | undefined {
  const { path } = useNavigation();
  return links.find((link) => link.to === path);
}

/** The links that do not fit into the bar. */
export function MoreMenu({ links }: { links: readonly NavLink[] }) {
  const { t } = useTranslation();
  const current = useCurrent(links);
  return (
    <Menu
      align="start"
      needs={moreItems}
      trigger={
        <button
          type="button"
          className={clsx(
            "inline-flex h-11 items-center gap-1 desk:h-9 rounded-control px-2 font-semibold whitespace-nowrap hover:bg-sunken hover:text-ink",
            current ? "bg-sunken text-ink" : "text-muted",
            current?.place === "wideBar" && "xl:bg-transparent xl:text-muted",
          )}
        >
          {t("shell.more")}
          <ChevronDown aria-hidden className="size-4" />
        </button>
      }
    >
      <moreItems.Component links={links} />
    </Menu>
  );
}

export function AccountMenu({ user, links }: { user: User; links: readonly NavLink[] }) {
  const { t } = useTranslation();
  const current = useCurrent(links);
  const name = personName(user);
  return (
    <Menu
      needs={accountItems}
      trigger={
        <button
          type="button"
          className={clsx(
            "grid size-9 shrink-0 place-items-center rounded-full bg-accent-soft text-sm font-semibold text-accent",
            current ? "ring-2 ring-accent" : "hover:ring-1 hover:ring-control-line",
          )}
        >
          {/* The visible text is part of the name, for voice control. */}
          {initialsOf(name)} <span className="sr-only">{t("shell.account", { name })}</span>
        </button>
      }
    >
      <accountItems.Component user={user} links={links} />
    </Menu>
  );
}
