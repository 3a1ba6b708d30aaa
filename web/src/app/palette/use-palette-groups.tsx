import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { CirclePlus, Keyboard, UserPlus, UserRound } from "lucide-react";
import { useTranslation } from "react-i18next";
import { employeesQuery } from "#/api/employees";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { useMachineOption } from "#/features/equipment/find/machine-option";
import { useMachineSearch } from "#/features/equipment/find/use-machine-search";
import { key } from "#/i18n/key";
import type { User } from "#/session/session";
import { KeyHint } from "#/shared/keys/key-hint";
import { useNavigation } from "#/shared/navigation";
import type { SearchGroup, SearchOption } from "#/shared/ui/search-list";
import { linksFor } from "../nav";
import { navIcons, type NavTarget } from "../nav-icons";
import type { MachineEntry } from "../quick-add-kinds";
import { entries } from "../quick-add-items";
import { matches, parseCommand } from "./find-commands";

const mostPeople = 5;
const mostMachines = 8;
/** The header's bell, which is in no menu. */
const notifications = { to: "/notifications", label: key("shell.titles.notifications") } as const;
const iconClass = "size-5 shrink-0 text-muted";

interface PaletteActions {
  close: () => void;
  onEntry: (entry: MachineEntry, machine: Equipment | null) => void;
  onKeys: () => void;
}

/** The results of the command palette; without a search, recent machines, actions and pages. */
export function usePaletteGroups(user: User, search: string, actions: PaletteActions) {
  const { t } = useTranslation();
  const named = useNamedEntry(search);
  const machines = useMachineSearch(search);
  const ofEntry = useMachineSearch(named?.name ?? "", named?.command === "reading");
  const option = useMachineOption();
  const { close, onEntry } = actions;
  const { go } = useNavigation();
  const open = (path: string) => () => {
    close();
    void go(path);
  };
  const machine = (row: Equipment) => option(row, open(`/equipment/item/${row.id}`));
  const isSearching = search !== "";
  const people = usePeople(search, open);
  // Further search words of pages.
  const pageWords: Partial<Record<NavTarget, string>> = {
    "/service": t("commands.words.servicePage"),
    "/settings": t("commands.words.settingsPage"),
  };
  const pages = [...linksFor(user), notifications]
    .filter(({ label, to }) => matches(`${t(label)} ${pageWords[to] ?? ""}`, search))
    .map((link): SearchOption => {
      const Icon = navIcons[link.to];
      return {
        key: link.to,
        icon: <Icon aria-hidden className={iconClass} />,
        label: t(link.label),
        onChoose: open(link.to),
      };
    });
  const entryOptions = useEntryOptions(search, actions, open);
  const forMachine = named?.name
    ? [...ofEntry.recent, ...ofEntry.others].slice(0, mostMachines).map((row): SearchOption => {
        const Icon = named.icon;
        const { label, note } = option(row, close);
        return {
          key: row.id,
          icon: <Icon aria-hidden className={iconClass} />,
          label: (
            <>
              {t(named.label)}: {label}
            </>
          ),
          note,
          onChoose: () => onEntry(named.command, row),
        };
      })
    : [];
  const actionOptions = named?.name ? forMachine : entryOptions;
  const found: SearchGroup[] = [
    {
      key: "recent",
      title: t("commands.search.recent"),
      options: machines.recent.map(machine),
    },
    {
      key: "machines",
      title: t("commands.search.machines"),
      options: isSearching ? machines.others.slice(0, mostMachines).map(machine) : [],
    },
    { key: "actions", title: t("commands.search.actions"), options: actionOptions },
    { key: "people", title: t("commands.search.people"), options: people.options },
    { key: "pages", title: t("commands.search.pages"), options: pages },
  ];
  // The requested item comes first.
  const groups = named?.isComplete
    ? found.toSorted((one, other) => rank(one) - rank(other))
    : found;
  const settled = machines.settled && ofEntry.settled && !people.isLoading;
  return { groups, query: machines.query, settled };
}

const rank = ({ key }: SearchGroup): number => (key === "actions" ? 0 : 1);

/** The entry that the first word of the search names. */
function useNamedEntry(search: string) {
  const { t } = useTranslation();
  const words = {
    reading: t("commands.words.reading"),
    fuel: t("commands.words.fuel"),
    service: t("commands.words.service"),
    note: t("commands.words.note"),
  } satisfies Record<MachineEntry, string>;
  const commands = entries.map(([command]) => ({ command, words: words[command] }));
  const named = parseCommand(
    search,
    commands,
    t("commands.words.filler"),
    t("commands.words.verbs"),
  );
  const entry = entries.find(([command]) => command === named?.command);
  return named && entry && { ...named, label: entry[1], icon: entry[2] };
}

function useEntryOptions(
  search: string,
  { close, onEntry, onKeys }: PaletteActions,
  open: (path: string) => () => void,
): SearchOption[] {
  const { t } = useTranslation();
  const named = useNamedEntry(search);
  // Texts of the buttons on other pages that open the same form.
  const buttons: Partial<Record<MachineEntry, string>> = {
    reading: t("commands.words.updateUsage"),
    service: t("commands.words.markServiced"),
  };
  const forMachines = entries
    .filter(
      ([command, label]) =>
        named?.command === command || matches(`${t(label)} ${buttons[command] ?? ""}`, search),
    )
    .map(([command, label, Icon, letter]) => ({
      key: command,
      icon: <Icon aria-hidden className={iconClass} />,
      label: (
        <span className="flex">
          {t(label)}
          <KeyHint letter={letter} />
        </span>
      ),
      onChoose: () => onEntry(command, null),
    }));
  const others = [
    {
      key: "machine",
      icon: <CirclePlus aria-hidden className={iconClass} />,
      label: t("commands.search.addMachine"),
      onChoose: open("/add-equipment"),
    },
    {
      key: "import",
      icon: <CirclePlus aria-hidden className={iconClass} />,
      label: t("commands.search.importMachines"),
      onChoose: open("/add-equipment?import=true"),
    },
    {
      key: "operator",
      icon: <UserPlus aria-hidden className={iconClass} />,
      label: t("commands.search.addOperator"),
      onChoose: open("/employees?open=add"),
    },
    {
      key: "keys",
      icon: <Keyboard aria-hidden className={iconClass} />,
      label: t("commands.search.keys"),
      onChoose: () => {
        close();
        onKeys();
      },
    },
  ];
  return [...forMachines, ...others.filter(({ label }) => matches(label, search))];
}

/** The company's people; each opens the list of people with the search. */
function usePeople(search: string, open: (path: string) => () => void) {
  const { data, isLoading } = useQuery({
    ...employeesQuery(useTransport()),
    enabled: search !== "",
  });
  if (search === "") return { options: [], isLoading };
  const named = (data?.employees ?? []).map((person) => {
    const name = `${person.firstName} ${person.lastName}`.trim();
    const signIn = person.operatorUsername ?? person.email ?? "";
    return { ...person, name: name || signIn, signIn };
  });
  const options = named
    .filter(({ name, signIn }) => matches(`${name} ${signIn}`, search))
    .slice(0, mostPeople)
    .map(({ id, name, signIn, operatorUsername }): SearchOption => ({
      key: id,
      icon: <UserRound aria-hidden className={iconClass} />,
      label: name,
      note: signIn,
      // The search of the page is for operators.
      onChoose: open(
        operatorUsername === undefined
          ? "/employees"
          : `/employees?search=${encodeURIComponent(name)}`,
      ),
    }));
  return { options, isLoading };
}
