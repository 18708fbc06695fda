"""Routes the addresses of mem0's hosted platform, as its client calls them, and under ``/mem0`` those of its server."""

from __future__ import annotations

from django.urls import path

from finclaw.mem0_api import entities, views

app_name = "mem0"
urlpatterns = [
    path("v1/ping/", entities.PingView.as_view(), name="ping"),
    path("v3/memories/add/", views.AddView.as_view(), name="add"),
    path("v3/memories/search/", views.SearchView.as_view(), name="search"),
    path("v3/memories/", views.ListView.as_view(), name="list"),
    path("v1/memories/", views.DeleteAllView.as_view(), name="delete_all"),
    path("v1/memories/<uuid:memory_id>/", views.OneMemoryView.as_view(), name="memory"),
    path("v1/memories/<uuid:memory_id>/history/", views.HistoryView.as_view(), name="history"),
    path("v1/batch/", views.BatchView.as_view(), name="batch"),
    path("v1/entities/", entities.EntitiesView.as_view(), name="entities"),
    path("v1/entities/<str:kind>/<str:name>/", entities.EntityView.as_view(), name="entity"),
    path("v2/entities/<str:kind>/<str:name>/", entities.EntityView.as_view(), name="entity_of_now"),
    path("v1/feedback/", entities.FeedbackView.as_view(), name="feedback"),
    path("v1/exports/", entities.ExportsView.as_view(), name="exports"),
    path("v1/exports/get/", entities.ExportResultView.as_view(), name="export_result"),
    path("v1/event/<uuid:event_id>/", entities.AdditionStateView.as_view(), name="event"),
    path("mem0/search", views.SearchView.as_view(), name="server_search"),
    path("mem0/memories", views.ServerMemoriesView.as_view(), name="server_memories"),
    path("mem0/memories/<uuid:memory_id>", views.OneMemoryView.as_view(), name="server_memory"),
    path("mem0/memories/<uuid:memory_id>/history", views.HistoryView.as_view(), name="server_history"),
    path("mem0/configure", entities.RefusedView.as_view(), name="server_configure"),
    path("mem0/reset", entities.RefusedView.as_view(), name="server_reset"),
]
