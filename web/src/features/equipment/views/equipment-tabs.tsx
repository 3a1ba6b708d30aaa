import { Link, useLocation, type LinkProps } from "@tanstack/react-router";
import { clsx } from "clsx";
import { useTranslation } from "react-i18next";
import type { EquipmentFilter } from "#/domain/equipment-filter";
import { useListPrefs } from "../table/list-prefs";
import { isSameView } from "./same-view";

const dueSoon = { due: 7 } as const satisfies EquipmentFilter;

/** All equipment, what is due soon, the archive, and the person's saved views. */
export function EquipmentTabs() {
  const { t } = useTranslation();
  const { views } = useListPrefs();
  const { pathname, search } = useLocation();
  const isList = pathname === "/equipment-list";
  const isAt = (filter: EquipmentFilter) => isList && isSameView(search, filter);
  const isDue = isAt(dueSoon);
  const view = isDue ? undefined : views.find((each) => isAt(each.search));
  const isRetired = pathname === "/retired-equipment";
  return (
    <nav
      aria-label={t("equipment-list.tabs.label")}
      className="no-print -mx-4 mb-4 overflow-x-auto border-b border-line px-4 lg:mx-0 lg:px-0"
    >
      <ul className="flex gap-5">
        <Tab to="/equipment-list" current={!isRetired && !isDue && !view}>
          {t("equipment-list.tabs.all")}
        </Tab>
        <Tab to="/equipment-list" search={dueSoon} current={isDue}>
          {t("equipment-list.tabs.due")}
        </Tab>
        <Tab to="/retired-equipment" current={isRetired}>
          {t("equipment-list.tabs.retired")}
        </Tab>
        {views.map((each) => (
          <Tab
            key={each.name}
            to="/equipment-list"
            search={each.search}
            current={each.name === view?.name}
          >
            {each.name}
          </Tab>
        ))}
      </ul>
    </nav>
  );
}

function Tab({
  current,
  children,
  ...link
}: Pick<LinkProps, "to"> & { search?: EquipmentFilter; current: boolean; children: string }) {
  return (
    <li className="shrink-0">
      <Link
        {...link}
        // The address alone does not decide.
        activeProps={{}}
        aria-current={current ? "page" : undefined}
        className={clsx(
          "inline-flex min-h-11 items-center border-b-2 font-semibold -outline-offset-2 whitespace-nowrap desk:min-h-9",
          current ? "border-accent text-ink" : "border-transparent text-muted hover:text-ink",
        )}
      >
        {children}
      </Link>
    </li>
  );
}
