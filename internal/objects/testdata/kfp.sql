-- The tables of a Kubeflow Pipelines database that hold pipelines, as far as
-- the import reads them.
CREATE DATABASE IF NOT EXISTS mlpipeline CHARACTER SET utf8mb4;
USE mlpipeline;
CREATE TABLE pipelines (
  UUID varchar(64) NOT NULL PRIMARY KEY, CreatedAtInSec bigint NOT NULL, Name varchar(128) NOT NULL,
  DisplayName varchar(255) NOT NULL, Description longtext NOT NULL, Namespace varchar(63), UNIQUE KEY (Name, Namespace));
CREATE TABLE pipeline_versions (
  UUID varchar(191) NOT NULL PRIMARY KEY, CreatedAtInSec bigint NOT NULL, Name varchar(127) NOT NULL,
  DisplayName varchar(255) NOT NULL, PipelineId varchar(64) NOT NULL, CodeSourceUrl varchar(255),
  Description longtext, PipelineSpec longtext NOT NULL, PipelineSpecURI longtext NOT NULL, UNIQUE KEY (Name, PipelineId));
CREATE TABLE pipeline_tags (
  PipelineId varchar(64) NOT NULL, TagKey varchar(63) NOT NULL, TagValue varchar(63) NOT NULL, PRIMARY KEY (PipelineId, TagKey));
