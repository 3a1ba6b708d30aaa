import { createFileRoute, useCanGoBack, useRouter } from "@tanstack/react-router";
import * as v from "valibot";
import { EquipmentFormPage } from "#/features/equipment/form/equipment-form-page";
import { lastFilter } from "#/features/equipment/list/last-filter";
import { key } from "#/i18n/key";

export const Route = createFileRoute("/_manager/add-equipment")({
  validateSearch: v.object({
    edit: v.fallback(v.optional(v.string()), undefined),
    /** The machine that a new one is a copy of. */
    copy: v.fallback(v.optional(v.string()), undefined),
    /** Many machines at once. */
    import: v.fallback(v.optional(v.literal(true)), undefined),
    /** Opened on the machine's own page, where saving returns to, or in the equipment list. */
    from: v.fallback(v.optional(v.picklist(["item", "list"])), undefined),
  }),
  staticData: {
    title: (search) =>
      "edit" in search && search.edit
        ? key("equipment-form.fields.editTitle")
        : key("shell.titles.addEquipment"),
  },
  component: AddEquipmentRoute,
});

function AddEquipmentRoute() {
  const { edit, copy, from, import: importing } = Route.useSearch();
  const navigate = Route.useNavigate();
  const { history } = useRouter();
  const canGoBack = useCanGoBack();
  const home = () => void navigate({ to: "/" });
  const toList = () => void navigate({ to: "/equipment-list", search: lastFilter() });
  const toMachine =
    edit && from === "item"
      ? () => void navigate({ to: "/equipment/item/$id", params: { id: edit } })
      : undefined;
  const saved = () => {
    if (!edit) home();
    else if (toMachine) toMachine();
    else void navigate({ to: "/equipment-list" });
  };
  return (
    <EquipmentFormPage
      key={edit ?? copy ?? String(importing)}
      importing={importing}
      editId={edit}
      copyId={copy}
      onSaved={saved}
      onLeave={canGoBack ? () => history.back() : home}
      onDashboard={home}
      onList={from === "list" ? toList : undefined}
      onMachine={toMachine}
    />
  );
}
