import { createFileRoute } from "@tanstack/react-router";
import { NotFoundPage } from "#/app/not-found-page";
import { DetailPage } from "#/features/equipment/detail/detail-page";
import { detailSearchSchema, type DetailSearch } from "#/features/equipment/detail/search";
import { key } from "#/i18n/key";
import { prefetch } from "../-prefetch";

export const Route = createFileRoute("/_manager/equipment/item/$id")({
  validateSearch: detailSearchSchema,
  staticData: { title: key("shell.titles.equipmentItem") },
  loader: ({ context, params }) => prefetch(context, (pages) => pages.equipmentItem(params.id)),
  component: EquipmentItemRoute,
});

function EquipmentItemRoute() {
  const { id } = Route.useParams();
  const search = Route.useSearch();
  const navigate = Route.useNavigate();
  const change = (next: DetailSearch) =>
    void navigate({ search: (last) => ({ ...last, ...next }), resetScroll: false });
  return (
    <DetailPage key={id} id={id} search={search} onSearch={change} unknown={<NotFoundPage />} />
  );
}
