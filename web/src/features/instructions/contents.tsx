import { Link } from "@tanstack/react-router";
import { clsx } from "clsx";
import { ChevronDown, List } from "lucide-react";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { SearchInput } from "#/shared/ui/search-input";
import { searchGuide } from "./search-guide";
import { guideGroups, type GuideEntry } from "./sections";
import { useSectionInView } from "./use-section-in-view";

export const contentsId = "guide-contents";

export function Contents() {
  const { t } = useTranslation();
  const current = useSectionInView();
  const listId = useId();
  const [open, setOpen] = useState(false);
  const [search, setSearch] = useState("");
  const [found, setFound] = useState<ReadonlySet<string> | null>(null);
  const type = (text: string) => {
    setSearch(text);
    setFound(text.trim() === "" ? null : searchGuide(text));
  };
  const shows = (entry: GuideEntry) => found === null || found.has(entry.id);
  const groups = guideGroups
    .map((group) => ({ ...group, entries: group.entries.filter(shows) }))
    .filter((group) => group.entries.length > 0);
  return (
    <nav
      id={contentsId}
      aria-labelledby={`${contentsId}-title`}
      className="no-print rounded-card border border-line bg-raised p-3 lg:sticky lg:top-20 lg:max-h-[calc(100dvh-6rem)] lg:overflow-y-auto"
    >
      <h2 id={`${contentsId}-title`} className="hidden px-2 pb-2 text-sm font-semibold lg:block">
        {t("instructions.contents")}
      </h2>
      <button
        type="button"
        aria-expanded={open}
        aria-controls={listId}
        onClick={() => setOpen(!open)}
        className="flex min-h-11 w-full items-center gap-2.5 rounded-control px-2 font-semibold hover:bg-sunken lg:hidden"
      >
        <List aria-hidden className="size-5 text-muted" />
        <span className="grow text-left">{t("instructions.contents")}</span>
        <ChevronDown aria-hidden className={clsx("size-5 text-muted", open && "rotate-180")} />
      </button>
      <div id={listId} className={clsx(!open && "max-lg:hidden", "max-lg:pt-2")}>
        <SearchInput label={t("instructions.search")} value={search} onChange={type} />
        <p role="status" className={clsx(groups.length === 0 && "px-2 pt-3 text-muted")}>
          {groups.length === 0 && t("instructions.noMatch", { search: search.trim() })}
        </p>
        {groups.map((group) => (
          <div key={group.title} className="pt-3 lg:pt-2">
            <h3 className="px-2 pb-0.5 text-xs font-semibold text-muted">{t(group.title)}</h3>
            <ul className="max-lg:grid max-lg:sm:grid-cols-2">
              {group.entries.map((entry) => (
                <li key={entry.id}>
                  <Link
                    to="/instructions"
                    hash={entry.id}
                    // Only the link to the URL's section is current.
                    activeOptions={{ includeHash: true }}
                    onClick={() => setOpen(false)}
                    className={clsx(
                      "flex min-h-11 items-center gap-2.5 rounded-control px-2 leading-tight hover:bg-sunken lg:min-h-[1.875rem]",
                      entry.id === current && "lg:bg-sunken lg:font-semibold",
                    )}
                  >
                    <entry.icon aria-hidden className="size-4 shrink-0 text-muted" />
                    {t(entry.title)}
                  </Link>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </div>
    </nav>
  );
}
